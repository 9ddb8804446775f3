import { MAIL_KINDS, type MailKind } from '../config/mail-templates.ts';
import { TEMPLATES, type LinkBase } from './templates.ts';

/** Where emailed links lead to, as far as it is configured. Requests never say it: a link in a mail is trusted. */
export type LinkBases = Readonly<Partial<Record<LinkBase, string | undefined>>>;

/** The first of these that is configured. Verification and sign-in links fall back to the address of the reset page. */
const ORDER: Readonly<Record<LinkBase, readonly LinkBase[]>> = {
  reset: ['reset', 'app'],
  verify: ['verify', 'reset', 'app'],
  magic: ['magic', 'reset', 'app'],
  app: ['app', 'reset'],
};

export function baseOf(base: LinkBase, bases: LinkBases): string | undefined {
  return ORDER[base].map(name => bases[name]).find(url => url !== undefined)?.replace(/\/+$/, '');
}

/** Blank for a mail without a link. */
export function linkOf(kind: MailKind, token: string | undefined, bases: LinkBases): string {
  const { link } = TEMPLATES[kind];
  const base = link && baseOf(link.base, bases);
  if (link === undefined || base === undefined) return '';
  return base + link.path + (token === undefined ? '' : `?token=${encodeURIComponent(token)}`);
}

/** The mails whose links would lead nowhere. */
export function withoutBase(bases: LinkBases): MailKind[] {
  return MAIL_KINDS.filter(kind => {
    const { link } = TEMPLATES[kind];
    return link !== undefined && baseOf(link.base, bases) === undefined;
  });
}
