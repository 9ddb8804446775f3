/** Placeholders of every mail: the product, the salutation, the recipient's address, the URL of the logo. */
const EVERY = ['appName', 'name', 'email', 'logoUrl'];

/** The mails that the service sends, with the placeholders that their templates know. */
export const MAIL_PLACEHOLDERS = {
  passwordReset: [...EVERY, 'link', 'expires'],
  emailVerification: [...EVERY, 'link', 'expires'],
  /** To an account that an admin made. */
  userInvitation: [...EVERY, 'link', 'expires'],
  welcomeEmail: [...EVERY, 'link'],
  magicLink: [...EVERY, 'link', 'expires'],
  emailOtp: [...EVERY, 'code', 'expires'],
  /** To the new address. */
  emailChange: [...EVERY, 'link', 'expires'],
  /** To the address that it was. */
  emailChangeNotice: [...EVERY, 'newEmail'],
} as const satisfies Record<string, readonly string[]>;
export type MailKind = keyof typeof MAIL_PLACEHOLDERS;
export const MAIL_KINDS = Object.keys(MAIL_PLACEHOLDERS) as readonly MailKind[];

/** Parts of a mail that take the place of ours. */
export type TemplateOverride = { subject?: string; html?: string; text?: string };
export type TemplateOverrides = Readonly<Partial<Record<MailKind, TemplateOverride>>>;

/** `{{name}}`, with or without spaces inside. */
export const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}
