/** Seconds. At most so many requests in any window of this length, wherever it begins. */
export const WINDOW = 15 * 60;

/** The key that a request counts against: the client's address, or a subject that the route names (an email address, a uid). */
export type Limiter = { most: number; per: 'address' | 'subject' };

/** Each is one count, shared by all routes that name it. */
export const LIMITERS = {
  /** Sign-in, registration, providers, looking people up. */
  default: { most: 200, per: 'address' },
  /** Routes that send mail, try secrets, or make accounts. */
  strict: { most: 50, per: 'address' },
  /** Mails with a link, to one email address. */
  recipient: { most: 5, per: 'subject' },
  /** Mails with a code, to one email address. */
  otpSend: { most: 5, per: 'subject' },
  /** Codes tried for one email address. */
  otpVerify: { most: 5, per: 'subject' },
  /** Mails that one account asks for to prove an address. */
  verificationMail: { most: 5, per: 'subject' },
  /** Second factors tried by one account. */
  mfaVerify: { most: 10, per: 'subject' },
  /** OAuth clients that register. */
  oauthRegister: { most: 10, per: 'address' },
  /** The consent page, and its answers. */
  oauthAuthorize: { most: 60, per: 'address' },
  /** Codes and refresh tokens of OAuth clients, exchanged or revoked. */
  oauthToken: { most: 120, per: 'address' },
} as const satisfies Record<string, Limiter>;

export type LimiterName = keyof typeof LIMITERS;
