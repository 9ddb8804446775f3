import { randomUUID } from 'node:crypto';

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** The caller's own id when it is a UUID v4, else a fresh one: what is echoed and logged can be nothing but a UUID. */
export function requestIdFrom(given: string): string {
  return uuidV4.test(given) ? given : randomUUID();
}
