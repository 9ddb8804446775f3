/** Why the embedded server cannot serve, in one line for the person who started it. */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError';
}
