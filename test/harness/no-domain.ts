// Replaces `async-hook-domain` in a test process, by which tap assigns uncaught errors to tests. The module follows every promise and
// socket of the process, which takes a sixth of its CPU time. Without it such an error ends the process with its stack on standard error,
// and the current file fails.
export class Domain {
  destroy(): void {
    // There is nothing to follow.
  }
}
