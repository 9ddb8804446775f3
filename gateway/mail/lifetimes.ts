/** Lifetimes of mailed tokens, in seconds. The mails show them in words, and issuers of tokens use them. */
export const LIFETIMES = {
  passwordReset: 3_600,
  userInvitation: 7 * 86_400,
  emailVerification: 86_400,
  magicLink: 15 * 60,
  emailOtp: 10 * 60,
  emailChange: 86_400,
} as const;

const UNITS = [[86_400, 'day'], [3_600, 'hour'], [60, 'minute']] as const;

/** `604800` is "7 days". A single day is "24 hours", to be exact. */
export function inWords(seconds: number): string {
  for (const [unit, name] of UNITS) {
    const count = seconds / unit;
    if (Number.isInteger(count) && (name !== 'day' || count > 1)) return `${count} ${name}${count === 1 ? '' : 's'}`;
  }
  return `${seconds} seconds`;
}
