//go:build !race

package journal

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// sector is what a disk writes as a whole or not at all, in bytes.
const sector = 512

// A disk keeps files in memory as a drive with a cache does: what was not synced may be lost when the power fails, may be
// written, or written in part. It is the file system of one life of the program: after the power has failed every call is an
// error, and what is left is on the disk of the next life. Names of files wait for a sync of their directory, which SQLite does on
// Unix with the first sync of a new journal or log. Equal seeds let equal calls fail equally.
type disk struct {
	lies   bool // it says that it has synced, and has not
	left   int  // changes until the power fails; below 0 it never does
	failed bool // in the middle of a write

	mu    sync.Mutex
	rng   *rand.Rand
	files map[string]*diskFile
	gone  map[string]*diskFile // deleted; the directory was not synced since
	temps int
	calls int // changes so far
	shm   string
}

// diskFile is a file, as the program sees it and as the platters hold it.
type diskFile struct {
	seen, kept []byte
	named      bool // its name is on the platters
	waiting    []change
	locks      map[*handle]vfs.LockLevel
}

// change is a write that was not synced, or a new length.
type change struct {
	at   int64
	data []byte
	cut  bool // at is the length
}

func (c change) apply(to []byte) []byte {
	if c.cut {
		return resize(to, c.at)
	}
	if end := c.at + int64(len(c.data)); end > int64(len(to)) {
		to = resize(to, end)
	}
	copy(to[c.at:], c.data)
	return to
}

func resize(b []byte, n int64) []byte {
	if n <= int64(len(b)) {
		return b[:n]
	}
	return append(b, make([]byte, n-int64(len(b)))...)
}

// alive counts a change of the disk, and lets the power fail.
func (d *disk) alive() bool {
	if d.left == 0 {
		return false
	}
	d.left--
	d.calls++
	return true
}

func newDisk(shm string) *disk {
	return &disk{left: -1, files: map[string]*diskFile{}, gone: map[string]*diskFile{}, shm: shm}
}

// copy is another disk with the same files, all of them on the platters.
func (d *disk) copy(shm string, rng *rand.Rand) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := newDisk(shm)
	n.rng = rng
	for name, f := range d.files {
		n.files[name] = &diskFile{seen: slices.Clone(f.seen), kept: slices.Clone(f.seen), named: true}
	}
	return n
}

// next is the disk that is found when the power is back: of what was not synced, each change has survived, vanished, or
// survived in some of its sectors.
func (d *disk) next(shm string, left int) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = 0
	n := newDisk(shm)
	n.lies, n.left, n.rng = d.lies, left, d.rng
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		if f := d.files[name]; f.named || d.rng.IntN(2) == 0 {
			n.files[name] = f.survive(d.rng)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.gone)) {
		if n.files[name] == nil && d.rng.IntN(2) == 0 {
			n.files[name] = d.gone[name].survive(d.rng)
		}
	}
	d.files, d.gone = map[string]*diskFile{}, nil
	return n
}

func (f *diskFile) survive(rng *rand.Rand) *diskFile {
	b := slices.Clone(f.kept)
	for _, c := range f.waiting {
		switch fate := rng.IntN(3); {
		case fate == 0: // it vanishes
		case fate == 1 || c.cut:
			b = c.apply(b)
		default: // it tears
			for from := int64(0); from < int64(len(c.data)); {
				to := min((c.at+from)/sector*sector+sector-c.at, int64(len(c.data)))
				if rng.IntN(2) == 0 {
					b = change{at: c.at + from, data: c.data[from:to]}.apply(b)
				}
				from = to
			}
		}
	}
	return &diskFile{seen: slices.Clone(b), kept: b, named: true}
}

// Open is of vfs.VFS, as what follows.
func (d *disk) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left == 0 {
		return nil, flags, sqlite3.CANTOPEN
	}
	if name == "" {
		d.temps++
		name = fmt.Sprint("temp", d.temps)
	}
	f := d.files[name]
	made := f == nil
	if made {
		if flags&vfs.OPEN_CREATE == 0 && !strings.HasPrefix(name, "temp") {
			return nil, flags, sqlite3.CANTOPEN
		}
		f = &diskFile{}
		d.files[name] = f
	}
	h := &handle{disk: d, file: f, name: name, erase: flags&vfs.OPEN_DELETEONCLOSE != 0,
		names: made && flags&(vfs.OPEN_MAIN_JOURNAL|vfs.OPEN_SUPER_JOURNAL|vfs.OPEN_WAL) != 0}
	if flags&vfs.OPEN_MAIN_DB != 0 {
		h.shm = vfs.NewSharedMemory(d.shm, flags)
	}
	return h, flags, nil
}

func (d *disk) Delete(name string, synced bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[name]
	if f == nil {
		return sqlite3.IOERR_DELETE_NOENT
	}
	if !d.alive() {
		return sqlite3.IOERR_DELETE
	}
	delete(d.files, name)
	if f.named {
		d.gone[name] = f
	}
	if synced {
		d.syncNames()
	}
	return nil
}

// syncNames syncs the directory: the names of all files, and of which there is none any more.
func (d *disk) syncNames() {
	if d.lies {
		return
	}
	for _, f := range d.files {
		f.named = true
	}
	clear(d.gone)
}

func (d *disk) Access(name string, _ vfs.AccessFlag) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files[name] != nil, nil
}

func (d *disk) FullPathname(name string) (string, error) { return name, nil }

// handle is an open file.
type handle struct {
	*disk
	file  *diskFile
	name  string
	erase bool
	names bool // it is a new journal or log: its first sync is one of the directory, as SQLite does it on Unix
	shm   vfs.SharedMemory
}

func (h *handle) Close() error {
	h.mu.Lock()
	delete(h.file.locks, h)
	if h.erase {
		delete(h.files, h.name)
	}
	h.mu.Unlock()
	if h.shm != nil {
		return h.shm.Close()
	}
	return nil
}

func (h *handle) ReadAt(b []byte, at int64) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left == 0 {
		return 0, sqlite3.IOERR_READ
	}
	if at >= int64(len(h.file.seen)) {
		return 0, io.EOF
	}
	n := copy(b, h.file.seen[at:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (h *handle) WriteAt(b []byte, at int64) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := change{at: at, data: slices.Clone(b)}
	if !h.alive() { // the power fails in the middle of it
		if !h.failed {
			h.file.waiting = append(h.file.waiting, c)
		}
		h.failed = true
		return 0, sqlite3.IOERR_WRITE
	}
	h.file.seen = c.apply(h.file.seen)
	h.file.waiting = append(h.file.waiting, c)
	return len(b), nil
}

func (h *handle) Truncate(n int64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.alive() {
		return sqlite3.IOERR_TRUNCATE
	}
	c := change{at: n, cut: true}
	h.file.seen = c.apply(h.file.seen)
	h.file.waiting = append(h.file.waiting, c)
	return nil
}

func (h *handle) Sync(vfs.SyncFlag) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.alive() {
		return sqlite3.IOERR_FSYNC
	}
	if h.lies {
		return nil
	}
	for _, c := range h.file.waiting {
		h.file.kept = c.apply(h.file.kept)
	}
	h.file.waiting = nil
	if h.names {
		h.syncNames()
		h.names = false
	}
	return nil
}

func (h *handle) Size() (int64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return int64(len(h.file.seen)), nil
}

// others is the highest lock that another handle holds.
func (h *handle) others() (most vfs.LockLevel) {
	for o, level := range h.file.locks {
		if o != h {
			most = max(most, level)
		}
	}
	return most
}

func (h *handle) Lock(level vfs.LockLevel) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file.locks == nil {
		h.file.locks = map[*handle]vfs.LockLevel{}
	}
	others := h.others()
	if others >= vfs.LOCK_PENDING || level >= vfs.LOCK_RESERVED && others >= vfs.LOCK_RESERVED || level == vfs.LOCK_EXCLUSIVE && others >= vfs.LOCK_SHARED {
		return sqlite3.BUSY
	}
	h.file.locks[h] = max(level, h.file.locks[h])
	return nil
}

func (h *handle) Unlock(level vfs.LockLevel) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file.locks[h] > level {
		h.file.locks[h] = level
	}
	return nil
}

func (h *handle) CheckReservedLock() (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.others() >= vfs.LOCK_RESERVED, nil
}

func (h *handle) SectorSize() int { return sector }

// SharedMemory is the index of the log, which a failure of the power does not survive.
func (h *handle) SharedMemory() vfs.SharedMemory { return h.shm }

// DeviceCharacteristics promises as little as SQLite assumes of a disk on Unix: what is written stays within its bytes.
func (h *handle) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_POWERSAFE_OVERWRITE
}
