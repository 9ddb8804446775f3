import { isAddress } from '../addresses/address.ts';

/** Addresses of accounts that have none: guests, and people whose provider did not reveal one. */
const SYNTHETIC = /@anonymous\.local$|@(?:[^@]+\.)?placeholder\.[^@]+$/i;

/** Whether mail can reach it at all. */
export function isDeliverable(address: string): boolean {
  return isAddress(address) && !SYNTHETIC.test(address);
}
