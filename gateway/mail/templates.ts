import type { MailKind } from '../config/mail-templates.ts';
import { inWords, LIFETIMES } from './lifetimes.ts';

/** The values that each mail needs, besides its recipient. */
export type MailData = {
  passwordReset: { token: string };
  emailVerification: { token: string };
  userInvitation: { token: string };
  welcomeEmail: object;
  magicLink: { token: string };
  emailOtp: { code: string };
  emailChange: { token: string };
  emailChangeNotice: { newEmail: string };
};

/** The configured address that a link is based on; see links.ts. */
export type LinkBase = 'reset' | 'verify' | 'magic' | 'app';

/** A mail as data: sentences, and between them a link or a code. `{{…}}` is a placeholder. */
export type Template = {
  subject: string;
  before: readonly string[];
  /** The words on the button. */
  action?: string;
  after: readonly string[];
  link?: { base: LinkBase; path: string };
  /** Instead of a link. */
  hasCode?: true;
};

const IGNORE = 'If this was not you, there is nothing to do: without the link nothing changes.';

/** In our own words. `{{expires}}` comes from LIFETIMES. */
export const TEMPLATES: Readonly<Record<MailKind, Template>> = {
  passwordReset: {
    subject: 'Choose a new password for {{appName}}',
    before: ['Someone asked for a new password for your {{appName}} account.'],
    action: 'Choose a new password',
    after: ['The link works once and for {{expires}}.', IGNORE],
    link: { base: 'reset', path: '/reset-password' },
  },
  emailVerification: {
    subject: 'Confirm your email address for {{appName}}',
    before: ['This address was given for an account at {{appName}}. Please confirm that it is yours.'],
    action: 'Confirm this address',
    after: ['The link works for {{expires}}.', 'If you have no such account, you can ignore this mail.'],
    link: { base: 'verify', path: '/verify-email' },
  },
  userInvitation: {
    subject: 'You are invited to {{appName}}',
    before: ['An account at {{appName}} was made for you. Choose a password and you can sign in with this address.'],
    action: 'Accept the invitation',
    after: ['The invitation holds for {{expires}}.'],
    link: { base: 'reset', path: '/reset-password' },
  },
  welcomeEmail: {
    subject: 'Welcome to {{appName}}',
    before: ['Your account at {{appName}} is ready.'],
    action: 'Open {{appName}}',
    after: [],
    link: { base: 'app', path: '/app' },
  },
  magicLink: {
    subject: 'Your sign-in link for {{appName}}',
    before: ['With this link you sign in to {{appName}} without a password.'],
    action: 'Sign in',
    after: ['It works once and for {{expires}}. Do not pass it on.', IGNORE],
    link: { base: 'magic', path: '/auth/magic-link' },
  },
  emailOtp: {
    subject: 'Your sign-in code for {{appName}}',
    before: ['Enter this code to sign in to {{appName}}:'],
    after: ['It works once and for {{expires}}. {{appName}} never asks you for it.'],
    hasCode: true,
  },
  emailChange: {
    subject: 'Confirm your new email address for {{appName}}',
    before: ['This address is to become the one of an account at {{appName}}.'],
    action: 'Use this address',
    after: ['The link works once and for {{expires}}.', IGNORE],
    link: { base: 'verify', path: '/confirm-email-change' },
  },
  emailChangeNotice: {
    subject: 'The email address of your {{appName}} account is about to change',
    before: ['Someone who is signed in to your {{appName}} account asked to change its address to {{newEmail}}.'],
    after: ['If this was not you, choose a new password now: that ends every session of the account.'],
  },
};

/** How long what a mail carries is good for, in words; blank for a mail that carries nothing. */
export function expiresIn(kind: MailKind): string {
  return kind in LIFETIMES ? inWords(LIFETIMES[kind as keyof typeof LIFETIMES]) : '';
}
