import { createHmac } from 'node:crypto';

const BASE64_SECRET = 'whsec_';

/** The bytes that a secret signs with: those behind `whsec_`, in Base64, or its own. Undefined where it is no Base64. */
export function keyOf(secret: string): Buffer | undefined {
  if (!secret.startsWith(BASE64_SECRET)) return Buffer.from(secret);
  const text = secret.slice(BASE64_SECRET.length);
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(text) && text !== '';
  return isBase64 ? Buffer.from(text, 'base64') : undefined;
}

/** `sha256=` and the HMAC of the body in hex. */
export function bodySignature(key: Buffer, body: string): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}

/** `timestamp`: seconds since 1970. */
export type Message = { id: string; timestamp: number; body: string };

/** By Standard Webhooks 1.0: the HMAC of id, time and body in Base64, one of each key. */
export function messageSignatures(keys: readonly Buffer[], { id, timestamp, body }: Message): string {
  return keys.map(key => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`).join(' ');
}
