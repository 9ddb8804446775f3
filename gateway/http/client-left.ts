/** The client has left, so no answer can be sent. */
export class ClientLeft extends Error {
  override readonly name = 'ClientLeft';

  constructor() {
    super('The client left.');
  }
}
