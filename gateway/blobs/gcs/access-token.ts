import { importPKCS8, SignJWT } from 'jose';
import { postForm } from '../../outbound/post-form.ts';

/** The part of a service account's key file (JSON) that a sign-in needs. */
export type ServiceAccount = { client_email: string; private_key: string; token_uri: string };

const SCOPE = 'https://www.googleapis.com/auth/devstorage.read_write';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Milliseconds before its end at which a token is replaced. */
const EARLY = 300_000;

/** The access token of a service account (RFC 7523), a new one before the last one ends. @param patience milliseconds for one request. */
export function accessTokens(account: ServiceAccount, patience: number): () => Promise<string> {
  let current: Promise<Token> | undefined;
  return async () => {
    if (current !== undefined && (await current).until > Date.now()) return (await current).token;
    const asked = current = request(account, patience);
    asked.catch(() => { if (current === asked) current = undefined; });
    return (await asked).token;
  };
}

type Token = { token: string; until: number };

async function request({ client_email, private_key, token_uri }: ServiceAccount, patience: number): Promise<Token> {
  const assertion = await new SignJWT({ scope: SCOPE }).setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(client_email).setAudience(token_uri).setIssuedAt().setExpirationTime('1h').sign(await importPKCS8(private_key, 'RS256'));
  const { status, answer } = await postForm(token_uri, { grant_type: GRANT, assertion }, patience);
  const { access_token: token, expires_in: seconds } = Object(answer) as { access_token?: unknown; expires_in?: unknown };
  if (typeof token !== 'string') throw new Error(`${token_uri} answered ${status} instead of an access token`);
  return { token, until: Date.now() + Number(seconds ?? 0) * 1000 - EARLY };
}
