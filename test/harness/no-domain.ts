// What a test process gets as `async-hook-domain`, by which tap finds whose test an error was that nobody caught. That follows every
// promise and socket of the process, which takes a sixth of its CPU time. Without it such an error ends the process with its stack on
// standard error, and the file that ran fails.
export class Domain {
  destroy(): void {
    // There is nothing to follow.
  }
}
