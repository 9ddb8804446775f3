import { decodeJwt } from 'jose';

/** What a token says of itself that it is for. Others, as the service key, are told by their form: an exception costs some 40 µs. */
export function purposeOf(token: string): unknown {
  if (token.split('.').length !== 3) return undefined;
  try {
    return decodeJwt(token)['purpose'];
  } catch {
    return undefined;
  }
}
