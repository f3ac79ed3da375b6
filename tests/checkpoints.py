"""In-memory checkpoints, for tests that interrupt a training."""


class StoppedError(Exception):
    pass


class Memory:
    """Checkpoints that last as long as the test; raises after the write with the given number."""

    def __init__(self, last=None):
        self.files, self.writes, self.last = {}, [], last

    def at(self, name):
        memory = self

        class One:
            def write(self, files):
                memory.files[name] = dict(files)
                memory.writes.append(name)
                if len(memory.writes) == memory.last:
                    raise StoppedError

            def read(self):
                return memory.files.get(name)

        return One()
