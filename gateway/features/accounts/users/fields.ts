import { textOf, type Field } from '../../../http/fields.ts';

/** Policies read the roles as a comma list. */
const ROLE = /^[^,]*[^,\s][^,]*$/;

/** Roles that a person's account may be given. */
export const roleNames: Field<string[]> = {
  expected: 'must be a list of role names, without commas, other than anon and service',
  read: given => Array.isArray(given) && given.length <= 100 && given.every(isRoleName) ? [...new Set(given)] : undefined,
};

function isRoleName(given: unknown): given is string {
  return textOf(given, 128, name => ROLE.test(name)) !== undefined && given !== 'anon' && given !== 'service';
}

/** The uid of an account that exists elsewhere. */
export const newUid: Field<string> = {
  expected: 'must be a text of at most 128 characters, without blanks around it, and not a name of the service\'s own',
  read: given => textOf(given, 128, uid => uid !== '' && uid.trim() === uid && !/^(service|anonymous|anon|api-key:.*)$/.test(uid)),
};
