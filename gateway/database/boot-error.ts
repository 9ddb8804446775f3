/** The service cannot start, for a reason that the operator can mend. Its message is the whole of what is printed. */
export class BootError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BootError';
  }
}
