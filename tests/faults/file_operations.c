/* Counts the operations on files below some folders, logs them, and kills the process at one.
 *
 * Belongs here: the library that file_operations.py compiles and preloads. Not here: what a power cut leaves.
 *
 * FAULT_ROOTS   folders, joined by ':'; without it, nothing is counted
 * FAULT_LOG     the log; a line per operation: its name, then its paths, after tabs
 * FAULT_FROM    counting begins with the first operation whose path contains this; empty: at once
 * FAULT_AT      the number of the operation that kills the process; 0: none
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_int count, begun;

static int below(const char *path) {
    const char *roots = getenv("FAULT_ROOTS");
    while (roots && *roots) {
        size_t length = strcspn(roots, ":");
        if (length && !strncmp(path, roots, length) && (path[length] == '/' || !path[length])) return 1;
        roots += length + (roots[length] == ':');
    }
    return 0;
}

static void of_descriptor(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
}

static void of_name(int fd, const char *name, char *path) {
    char folder[PATH_MAX] = "", joined[2 * PATH_MAX];
    if (name[0] != '/') {
        if (fd != AT_FDCWD) of_descriptor(fd, folder);
        else if (!getcwd(folder, sizeof folder)) folder[0] = 0;
    }
    snprintf(joined, sizeof joined, "%s%s%s", folder, name[0] == '/' ? "" : "/", name);
    path[0] = 0; /* without "." and ".." */
    char *rest;
    for (char *part = strtok_r(joined, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
        size_t length = strlen(path);
        char *last = strrchr(path, '/');
        if (strcmp(part, "..") && strcmp(part, ".")) snprintf(path + length, PATH_MAX - length, "/%s", part);
        else if (part[1] && last) *last = 0;
    }
}

/* Log an operation, unless it only reads. */
static void note(const char *call, const char *path, const char *other) {
    const char *log = getenv("FAULT_LOG"), *from = getenv("FAULT_FROM"), *at = getenv("FAULT_AT");
    char line[2 * PATH_MAX + 64];
    if (!below(path) && !below(other)) return;
    if (!log || !strcmp(call, "look")) return;
    begun |= !from || strstr(path, from) || strstr(other, from);
    if (begun && ++count == (at ? atoi(at) : 0)) {
        syscall(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    }
    int length = snprintf(line, sizeof line, "%s\t%s\t%s\n", call, path, other);
    int fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || syscall(SYS_write, fd, line, length) != length) abort();
    syscall(SYS_close, fd);
}

static void on_descriptor(const char *call, int fd) {
    if (!getenv("FAULT_ROOTS")) return;
    int error = errno;
    char path[PATH_MAX];
    of_descriptor(fd, path);
    note(call, path, "");
    errno = error;
}

static void on_names(const char *call, int fd, const char *name, int other_fd, const char *other) {
    if (!getenv("FAULT_ROOTS") || !name) return;
    int error = errno;
    char path[PATH_MAX + 8], second[PATH_MAX + 8] = "";
    of_name(fd, name, path);
    if (other) of_name(other_fd, other, second);
    note(call, path, second);
    errno = error;
}

static void on_open(int fd, const char *name, int flags) {
    const char *call = flags & O_TRUNC ? "empty" : flags & O_CREAT ? "create" : "look";
    on_names(call, fd, name, 0, NULL);
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define MODE \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *name, int flags, ...) { MODE REAL(open); on_open(AT_FDCWD, name, flags); return real(name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE REAL(open64); on_open(AT_FDCWD, name, flags); return real(name, flags, mode); }
int openat(int fd, const char *name, int flags, ...) { MODE REAL(openat); on_open(fd, name, flags); return real(fd, name, flags, mode); }
int openat64(int fd, const char *name, int flags, ...) { MODE REAL(openat64); on_open(fd, name, flags); return real(fd, name, flags, mode); }

#define ON_DESCRIPTOR(result, function, call, types, values) \
    result function types { REAL(function); on_descriptor(call, fd); return real values; }

ON_DESCRIPTOR(ssize_t, write, "write", (int fd, const void *data, size_t size), (fd, data, size))
ON_DESCRIPTOR(ssize_t, pwrite, "write", (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
ON_DESCRIPTOR(ssize_t, pwrite64, "write", (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
ON_DESCRIPTOR(ssize_t, writev, "write", (int fd, const struct iovec *data, int size), (fd, data, size))
ON_DESCRIPTOR(ssize_t, sendfile, "write", (int fd, int in, off_t *at, size_t size), (fd, in, at, size))
ON_DESCRIPTOR(ssize_t, sendfile64, "write", (int fd, int in, off64_t *at, size_t size), (fd, in, at, size))
ON_DESCRIPTOR(int, ftruncate, "write", (int fd, off_t size), (fd, size))
ON_DESCRIPTOR(int, ftruncate64, "write", (int fd, off64_t size), (fd, size))
ON_DESCRIPTOR(int, fsync, "fsync", (int fd), (fd))
ON_DESCRIPTOR(int, fdatasync, "fsync", (int fd), (fd))
ON_DESCRIPTOR(int, syncfs, "syncfs", (int fd), (fd))

ssize_t copy_file_range(int in, off64_t *from, int fd, off64_t *at, size_t size, unsigned flags) {
    REAL(copy_file_range);
    on_descriptor("write", fd);
    return real(in, from, fd, at, size, flags);
}

int ioctl(int fd, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *value = va_arg(rest, void *);
    va_end(rest);
    REAL(ioctl);
    if (request == 0x40049409) on_descriptor("write", fd); /* FICLONE */
    return real(fd, request, value);
}

int rename(const char *old, const char *new) { REAL(rename); on_names("rename", AT_FDCWD, old, AT_FDCWD, new); return real(old, new); }
int renameat(int a, const char *old, int b, const char *new) { REAL(renameat); on_names("rename", a, old, b, new); return real(a, old, b, new); }
int renameat2(int a, const char *old, int b, const char *new, unsigned flags) {
    REAL(renameat2);
    on_names(flags & 2 ? "exchange" : "rename", a, old, b, new);
    return real(a, old, b, new, flags);
}
int link(const char *old, const char *new) { REAL(link); on_names("link", AT_FDCWD, old, AT_FDCWD, new); return real(old, new); }
int linkat(int a, const char *old, int b, const char *new, int flags) { REAL(linkat); on_names("link", a, old, b, new); return real(a, old, b, new, flags); }
int unlink(const char *name) { REAL(unlink); on_names("unlink", AT_FDCWD, name, 0, NULL); return real(name); }
int unlinkat(int fd, const char *name, int flags) { REAL(unlinkat); on_names("unlink", fd, name, 0, NULL); return real(fd, name, flags); }
int rmdir(const char *name) { REAL(rmdir); on_names("unlink", AT_FDCWD, name, 0, NULL); return real(name); }
int mkdir(const char *name, mode_t mode) { REAL(mkdir); on_names("mkdir", AT_FDCWD, name, 0, NULL); return real(name, mode); }
int mkdirat(int fd, const char *name, mode_t mode) { REAL(mkdirat); on_names("mkdir", fd, name, 0, NULL); return real(fd, name, mode); }
