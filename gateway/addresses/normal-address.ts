import { ADDRESS_LETTERS } from './letters.ts';
import { punycode } from './punycode.ts';

const LETTERS = ADDRESS_LETTERS.replace(/[0-9a-f]+/g, '\\u{$&}').replace(/\s+/g, '');
const LOCAL_PART = new RegExp(`^[a-z0-9!#$%&'*+/=?^_\`{|}~.${LETTERS}-]{1,64}$`, 'u');
const LABEL = new RegExp(`^[a-z0-9${LETTERS}-]{1,63}$`, 'u');
const BEYOND_ASCII = /[^\0-\x7f]/;
/** Characters, RFC 1035 section 2.3.4. */
const LONGEST = { label: 63, domain: 253 };

/**
 * Returns the one form in which an address is stored, compared and counted: ASCII in lower case, the domain as A-labels, without spaces
 * around it. Two texts that name one mailbox have one form. Undefined for a text that has none: one with white space, or with a character
 * that NFKC or case folding would change beyond that. service_private.normal_email is the same function in SQL.
 */
export function normalAddress(given: string): string | undefined {
  const text = given.replace(/^ +| +$/g, '').replace(/[A-Z]+/g, letters => letters.toLowerCase());
  const [local = '', domain = '', ...more] = text.split('@');
  const labels = domain.split('.');
  if (more.length > 0 || !LOCAL_PART.test(local) || !labels.every(label => LABEL.test(label))) return undefined;
  if (text.normalize('NFKC') !== text) return undefined;
  const encoded = labels.map(label => BEYOND_ASCII.test(label) ? `xn--${punycode(label)}` : label);
  const name = encoded.join('.');
  return name.length <= LONGEST.domain && encoded.every(label => label.length <= LONGEST.label) ? `${local}@${name}` : undefined;
}
