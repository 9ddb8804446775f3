/** A mail that is not sent. The message is for the log: it names no recipient and quotes no secret. */
export class MailError extends Error {
  override readonly name = 'MailError';
}
