/** Nobody is there to be answered. */
export class ClientLeft extends Error {
  override readonly name = 'ClientLeft';

  constructor() {
    super('The client left.');
  }
}
