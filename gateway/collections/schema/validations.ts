import { bool, number, object, text, whole, type Keys, type Schema } from '../../json/json-schema.ts';

const everyValidation: Keys = {
  required: bool('A create must send it; the column is NOT NULL.', false),
  requiredMessage: text('What is said when it is missing.'),
  unique: bool('No two rows have the same value.', false),
};

export function validation(keys: Keys = {}): Schema {
  return object('Rules that the API checks on what a caller sends.', { ...everyValidation, ...keys });
}

function dateBound(description: string): Schema {
  return text(description, { pattern: '^\\d{4}-\\d{2}-\\d{2}', 'x-expected': 'an ISO date' });
}

/** For the types that have rules of their own. */
export const validations = {
  string: validation({
    length: whole('Exact number of characters.', 0),
    min: whole('Fewest characters.', 0),
    max: whole('Most characters; the width of a varchar or char column.', 0),
    matches: text('A PostgreSQL regular expression that matches somewhere in the value; or /…/ with the flag i.'),
    matchesMessage: text('What is said when it does not match.'),
    trim: bool('Store it without blanks around it.', false),
    lowercase: bool('Store it in lower case.', false),
    uppercase: bool('Store it in upper case.', false),
  }),
  number: validation({
    min: number('Smallest value.'),
    max: number('Largest value.'),
    moreThan: number('The value is above this.'),
    lessThan: number('The value is below this.'),
    positive: bool('The value is above 0.', false),
    negative: bool('The value is below 0.', false),
    integer: bool('The value is a whole number.', false),
  }),
  date: validation({ min: dateBound('Earliest date.'), max: dateBound('Latest date.') }),
  array: validation({
    min: whole('Fewest elements.', 0),
    max: whole('Most elements.', 0),
    uniqueInArray: bool('No element stands twice.', false),
  }),
};
