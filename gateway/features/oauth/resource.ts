import type { Form } from '../../http/form-body.ts';
import type { Audience } from '../../identity/oauth-tokens.ts';

/**
 * The resource that a request names (RFC 8707), in its canonical form where it is ours: /mcp, or a path below it. Undefined where it names
 * none.
 */
export function resourceIn(form: Form, { resource }: Audience): string | undefined {
  const named = form.get('resource');
  return named !== undefined && isOurs(named, new URL(resource)) ? resource : named;
}

function isOurs(named: string, { origin, pathname }: URL): boolean {
  const url = URL.parse(named);
  if (url === null || url.origin !== origin || url.username !== '' || url.password !== '' || named.includes('#')) return false;
  return url.pathname === pathname || url.pathname.startsWith(`${pathname}/`);
}
