import { textOf, type Field } from '../../../http/fields.ts';

/** The uid of an account that exists elsewhere. */
export const newUid: Field<string> = {
  expected: 'must be a text of at most 128 characters, without blanks around it, and not a name of the service\'s own',
  read: given => textOf(given, 128, uid => uid !== '' && uid.trim() === uid && !/^(service|anonymous|anon|api-key:.*)$/.test(uid)),
};
