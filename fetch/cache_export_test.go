package fetch

// SetCacheSize lets a test fill a cache.
func SetCacheSize(c *Cache, n int64) { c.maxSize = n }
