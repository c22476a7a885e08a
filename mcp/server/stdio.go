package server

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve speaks MCP over a pair of streams, one JSON-RPC message a line, until the client hangs up or ctx is done. Nothing else
// is written to out. It does not close the server.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.WriteCloser) error {
	to := &lines{to: out}
	err := s.mcp.Run(ctx, &mcp.IOTransport{Reader: newFrames(in, to), Writer: to, MaxLineLength: maxLine + 1})
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) || ctx.Err() != nil {
		return nil
	}
	return err
}
