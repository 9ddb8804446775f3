/** Seconds that what a mail carries is good for. The mails say it in words, whoever issues a token takes it from here. */
export const LIFETIMES = {
  passwordReset: 3_600,
  userInvitation: 7 * 86_400,
  emailVerification: 86_400,
  magicLink: 15 * 60,
  emailOtp: 10 * 60,
  emailChange: 86_400,
} as const;

const UNITS = [[86_400, 'day'], [3_600, 'hour'], [60, 'minute']] as const;

/** `604800` is "7 days". A single day is "24 hours", which nobody takes for tomorrow's end. */
export function inWords(seconds: number): string {
  for (const [unit, name] of UNITS) {
    const count = seconds / unit;
    if (Number.isInteger(count) && (name !== 'day' || count > 1)) return `${count} ${name}${count === 1 ? '' : 's'}`;
  }
  return `${seconds} seconds`;
}
