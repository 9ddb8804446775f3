import { isIP } from 'node:net';

type Settings = {
  webauthnRpId: string | undefined; webauthnOrigins: readonly string[] | undefined; frontendUrl: string | undefined;
  publicUrl: string | undefined;
};
/** The domain that passkeys are made for, and the pages and apps of it that may use them. */
export type RelyingParty = { id: string; origins: readonly string[] };

/**
 * Undefined without a domain: a bare address can have no passkeys. The service's own pages, such as the consent page, may use those of
 * their domain.
 */
export function relyingParty({ webauthnRpId, webauthnOrigins, frontendUrl, publicUrl }: Settings): RelyingParty | undefined {
  const frontend = frontendUrl === undefined ? undefined : new URL(frontendUrl);
  const id = webauthnRpId ?? frontend?.hostname;
  if (id === undefined || isIP(id.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  const named = webauthnOrigins ?? (frontend === undefined ? [`https://${id}`] : [frontend.origin]);
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).origin].filter(origin => isWithin(origin, id));
  return { id, origins: [...new Set([...named, ...own])] };
}

/** A line for each origin whose passkeys browsers would not take for the relying party. */
export function relyingPartyConflicts(settings: Settings): string[] {
  const { id = '', origins = [] } = relyingParty(settings) ?? {};
  const own = settings.webauthnOrigins === undefined ? 'FRONTEND_URL' : 'WEBAUTHN_ORIGINS';
  return origins.filter(origin => !isWithin(origin, id)).map(origin => `${own}: ${origin} is not of the domain ${id} (WEBAUTHN_RP_ID).`);
}

function isWithin(origin: string, id: string): boolean {
  if (origin.startsWith('android:apk-key-hash:')) return true;
  const { hostname = '' } = URL.parse(origin) ?? {};
  return hostname === id || hostname.endsWith(`.${id}`);
}
