/** Each type with values of it, as SQL reads them. */
export const TYPES: Record<string, string[]> = {
  'timestamptz': [
    '2024-02-29 12:34:56.123456+02', '2024-02-29 12:34:56.123+02', 'infinity', '-infinity', '0044-03-15 12:00:00.000001+00 BC',
    '10000-01-01 00:00+00',
  ],
  'timestamp': [
    '2024-02-29 12:34:56.000001', '2024-02-29 12:34:56', 'infinity', '-infinity', '0044-03-15 12:00:00.5 BC',
    '294276-12-31 23:59:59.999999',
  ],
  'timestamptz(3)': ['2024-02-29 12:34:56.1234+02', 'infinity'],
  'date': ['2024-02-29', 'infinity', '-infinity', '0044-03-15 BC', '12345-06-07'],
  'time': ['23:59:59.999999', '24:00:00', '00:00'], 'timetz': ['12:00:00.000001+05:30'],
  'interval': ['1 year -2 days 03:04:05.678901', '-1 mon', '0'],
  'numeric': ['12345678901234567890.12345678901234567890', 'NaN', 'Infinity', '-Infinity', '0.000', '-1e-20'],
  'real': ['0.1', 'NaN', 'Infinity', '-Infinity', '3.4028235e38', '1e-45'], 'float8': [
    '0.1', 'NaN', 'Infinity', '-Infinity', '1.7976931348623157e308', '5e-324',
  ],
  'bigint': ['9223372036854775807', '-9223372036854775808'], 'money': ['92233720368547758.07', '-0.01'], 'boolean': ['t', 'f'],
  'bytea': ['\\x', '\\x00ff', '\\xfbff3e3f', '\\x5c78', '\\x'.padEnd(202, '7f')], 'uuid': ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  'text': ['', ' a ', 'null', 'a,b', '(1)', '"', '\\', 'in.(a)', 'ß 🙂', 'a:::b%3A', '{}', 'isnull.'], 'char(3)': ['a', 'abc'],
  '"char"': ['a'], 'name': ['a "b"'], 'bit(5)': ['10101'], 'bit varying': ['1', ''], 'inet': ['10.0.0.1', '10.0.0.1/8', '::1'],
  'cidr': ['10.0.0.0/8'], 'macaddr': ['08:00:2b:01:02:03'], 'int4range': ['[1,5)', 'empty', '(,)', '[3,)'],
  'tstzrange': ['["2024-01-01 00:00:00.000001+00",infinity)'], 'int4multirange': ['{[1,2),[5,9)}', '{}'],
  'jsonb': ['{"b": [1, 2.50], "a": null}', '"x"', '12345678901234567890.10'], 'oid': ['4294967295'], 'pg_lsn': ['16/B374D848'],
  'mood': ['sad', 'so "so"'], 'pair': ['(1,x)', '(,"a,""b""")', '(2,)'],
  'nest': ['("(1,""y z"")","2024-01-01 00:00:00.000001+00","\\\\x00ff",NaN)'], 'xml': ['<a b="1"/>'], 'point': ['(1.5,-2)'],
  'box': ['(3,4),(1,2)'], 'moment_domain': ['2024-01-01 00:00:00.000007+00', 'infinity'], 'bytes_domain': ['\\x01fe'],
  'numeric_domain': ['NaN', '1.50'], 'pair_domain': ['(5,z)'],
  'mood_domain': ['sad', 'so "so"'],
};

/** The types of its own. */
export const SCHEMA = `
  create type mood as enum ('sad', 'so "so"'); create type pair as (a integer, b text);
  create type nest as (inner_pair pair, at timestamptz, raw bytea, n numeric);
  create domain moment_domain as timestamptz; create domain bytes_domain as bytea check (length(value) > 0);
  create domain numeric_domain as numeric; create domain pair_domain as pair; create domain json_domain as json;
  create domain some_mood as mood; create domain mood_domain as some_mood;`;
