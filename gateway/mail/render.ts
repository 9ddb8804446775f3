import { PLACEHOLDER, type MailKind, type TemplateOverrides } from '../config/mail-templates.ts';
import { htmlOf, textOf } from './layout.ts';
import { linkOf, type LinkBases } from './links.ts';
import type { Message } from './message.ts';
import { expiresIn, TEMPLATES, type MailData } from './templates.ts';

type Values = Readonly<Record<string, string>>;

/** Replaces placeholders by their values; each value goes through `shown` first. A placeholder without a value is removed. */
function fill(text: string, values: Values, shown: (value: string) => string = value => value): string {
  return text.replace(PLACEHOLDER, (_whole, name: string) => shown(Object.hasOwn(values, name) ? values[name] as string : ''));
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&#39;' };

/** For text and for quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] as string);
}

export type Branding = { appName: string; logoUrl: string | undefined };
export type Recipient = { email: string; displayName?: string | null };
export type RenderOptions = { branding: Branding; templates: TemplateOverrides; bases: LinkBases };

/** Renders a mail: every value is escaped for its place. */
export function render<Kind extends MailKind>(
  kind: Kind, to: Recipient, data: MailData[Kind], { branding, templates, bases }: RenderOptions,
): Message & { text: string } {
  const { appName, logoUrl } = branding;
  const { token, ...told } = data as { token?: string } & Record<string, string>;
  const values: Values = {
    ...told,
    appName,
    name: nameOf(to),
    email: to.email,
    logoUrl: logoUrl ?? '',
    link: linkOf(kind, token, bases),
    expires: expiresIn(kind),
  };
  const own = TEMPLATES[kind];
  const { subject = own.subject, html = htmlOf(own, logoUrl !== undefined), text = textOf(own) } = templates[kind] ?? {};
  return {
    to: to.email,
    subject: inOneLine(fill(subject, values)),
    html: fill(html, values, escapeHtml),
    text: fill(text, values),
    // Automatic replies do not answer a mail that declares itself as generated (RFC 3834 section 5).
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

const LONGEST_NAME = 100;
/** Readers make links of these, and anyone can register a stranger's address with such a name. */
const LIKE_A_LINK = /:\/\/|\bwww\.|\.[a-z]{2,}/i;

/** The salutation: the display name, else the local part of the address. */
function nameOf({ email, displayName }: Recipient): string {
  const name = inOneLine(displayName ?? '');
  const isName = name !== '' && name.length <= LONGEST_NAME && !LIKE_A_LINK.test(name);
  return isName ? name : email.slice(0, email.lastIndexOf('@'));
}

function inOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}
