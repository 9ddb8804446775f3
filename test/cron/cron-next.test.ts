import type postgres from 'postgres';
import { test, type Test } from 'tap';
import { generator, runs, seed } from '../harness/effort.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the template

const MINUTE = 60_000;
/** Zones change their offset at whole quarters of an hour; those with odd ones among them, and one that goes back over midnight. */
const QUARTER = 15 * MINUTE;
const DAY = 24 * 60 * MINUTE;
const ZONES = [
  'UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/Havana', 'Pacific/Apia', 'Pacific/Chatham',
  'America/St_Johns', 'Asia/Tehran', 'Africa/Casablanca', 'America/Asuncion', 'Asia/Beirut', 'Etc/GMT+3', 'America/Sao_Paulo',
  'Africa/Cairo',
];
const BOUNDS = [[0, 59], [0, 23], [1, 31], [1, 12], [0, 6]] as const;

type Clock = { month: number; day: number; weekday: number; hour: number; minute: number };

const formats = new Map<string, Intl.DateTimeFormat>();
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function clockOf(instant: number, timeZone: string): Clock {
  let format = formats.get(timeZone);
  if (format === undefined) {
    formats.set(timeZone, format = new Intl.DateTimeFormat('en-US', {
      timeZone, hourCycle: 'h23', month: 'numeric', day: 'numeric', weekday: 'short', hour: 'numeric', minute: 'numeric',
    }));
  }
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  return {
    month: Number(parts['month']), day: Number(parts['day']), weekday: WEEKDAYS.indexOf(parts['weekday'] ?? ''),
    hour: Number(parts['hour']), minute: Number(parts['minute']),
  };
}

/** The model: the clock of the zone is looked at in every quarter of an hour, and at every minute of those that may hold one. */
function modelled(schedule: string, timeZone: string, after: number): number | null {
  const [minutes, hours, days, months, weekdays] = schedule.split(' ').map((field, i) => numbersOf(field, BOUNDS[i] ?? [0, 0]));
  const [, , dayField = '', , weekdayField = ''] = schedule.split(' ');
  const isEither = [dayField, weekdayField].every(field => !field.startsWith('*'));
  const isDay = ({ month, day, weekday }: Clock) => {
    const matches = [days?.has(day), weekdays?.has(weekday)];
    return months?.has(month) && (isEither ? matches.includes(true) : !matches.includes(false));
  };
  const end = after + 4 * 366 * DAY;
  for (let quarter = Math.floor(after / QUARTER) * QUARTER; quarter < end; quarter += QUARTER) {
    const clock = clockOf(quarter, timeZone);
    if (!isDay(clock)) {
      // The days until the next one of these months are looked at once each, at the same hour.
      if (!months?.has(clock.month) && clock.day < 26) quarter += DAY - QUARTER;
      continue;
    }
    if (!hours?.has(clock.hour)) continue;
    for (let n = 0; n < 15; n++) {
      const instant = quarter + n * MINUTE;
      if (instant > after && minutes?.has(clock.minute + n)) return instant;
    }
  }
  return null;
}

function numbersOf(field: string, [least, most]: readonly [number, number]): Set<number> {
  return new Set(field.split(',').flatMap(item => {
    const [range = '', step] = item.split('/');
    const [from, to = step === undefined ? from : String(most)] = range === '*' ? [String(least), String(most)] : range.split('-');
    return Array.from({ length: most + 1 }, (_, n) => n)
      .filter(n => n >= Number(from) && n <= Number(to) && (n - Number(from)) % Number(step ?? 1) === 0);
  }));
}

type Below = (below: number) => number;

function randomField([least, most]: readonly [number, number], below: Below, whole: number): string {
  if (below(10) < whole) return '*';
  const one = () => least + below(most - least + 1);
  return Array.from({ length: 1 + below(3) }, () => {
    const [a, b] = [one(), one()].sort((x, y) => x - y) as [number, number];
    return [`${a}`, `${a}-${b}`, `${a}/${1 + below(20)}`, `*/${1 + below(20)}`, `${a}-${b}/${1 + below(5)}`][below(5)] ?? '';
  }).join(',');
}

function randomSchedule(below: Below): string {
  const whole = [2, 4, 7, 8, 7];
  return BOUNDS.map((bounds, i) => randomField(bounds, below, whole[i] ?? 5)).join(' ');
}

/** The instants of a year at which the offset of a zone changes. */
function shiftsOf(timeZone: string, year: number): number[] {
  const offset = (instant: number) => {
    const { day, hour, minute } = clockOf(instant, timeZone);
    const { day: utcDay, hour: utcHour, minute: utcMinute } = clockOf(instant, 'UTC');
    return ((day - utcDay) * 1440 + (hour - utcHour) * 60 + minute - utcMinute + 40 * 1440) % 1440;
  };
  const from = Date.UTC(year, 0, 1);
  return Array.from({ length: 366 * 96 }, (_, n) => from + n * QUARTER).filter(instant => offset(instant) !== offset(instant - QUARTER));
}

async function asker(t: Test) {
  return askerOn((await createDatabase(t, { template: 'served' })).sql);
}

function askerOn(sql: postgres.Sql) {
  return async (schedule: string | null, timezone: string | null, after: number): Promise<number | null> => {
    const [row] = await sql<{ next: Date | null }[]>`select service.cron_next(${schedule}, ${timezone}, ${new Date(after)}) as next`;
    return row?.next?.getTime() ?? null;
  };
}

const told = (instant: number | null) => instant === null ? null : new Date(instant).toISOString();

test(`cron_next agrees with a model that looks at the clock (RANDOM_SEED=${seed})`, async t => {
  const next = await asker(t);
  const below = generator(seed);
  const wrong: string[] = [];
  const times = runs(5000);
  for (let n = 0; n < times; n++) {
    const [schedule, zone] = [randomSchedule(below), ZONES[below(ZONES.length)] ?? 'UTC'];
    const after = Date.UTC(2015, 0, 1) + below(10 * 365 * 24 * 60) * MINUTE + below(MINUTE);
    const [found, expected] = [await next(schedule, zone, after), modelled(schedule, zone, after)];
    if (found !== expected) wrong.push(`${schedule}, ${zone}, after ${told(after)}: ${told(found)}, not ${told(expected)}`);
  }
  t.same(wrong, [], `${times} schedules`);
});

test('cron_next agrees with the model around every shift of a year', async t => {
  const next = await asker(t);
  const wrong: string[] = [];
  let shifts = 0;
  for (const zone of ZONES) {
    for (const shift of shiftsOf(zone, 2024)) {
      shifts += 1;
      for (const schedule of ['*/30 * * * *', '15 0-3 * * *', '30 1,2,23 * * *', '0 0 * * *']) {
        for (let after = shift - 4 * 60 * MINUTE, n = 0; n < 14; n++) {
          const [found, expected] = [await next(schedule, zone, after), modelled(schedule, zone, after)];
          if (found !== expected) wrong.push(`${schedule}, ${zone}, after ${told(after)}: ${told(found)}, not ${told(expected)}`);
          after = expected ?? after + DAY;
        }
      }
    }
  }
  t.same(wrong, []);
  t.ok(shifts >= 16, `${shifts} shifts`);
});

test('an hour that comes twice is due twice, one that is skipped is not due', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const next = askerOn(sql);
  const run = async (schedule: string, zone: string, after: string, times: number) => {
    const found: (string | null)[] = [];
    for (let at: number | null = Date.parse(after); at !== null && found.length < times;) {
      at = await next(schedule, zone, at);
      found.push(told(at)?.replace(':00.000Z', 'Z') ?? null);
    }
    return found;
  };
  t.same(await run('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 3), ['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-26T01:30Z']);
  t.same(await run('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2), ['2026-03-30T00:30Z', '2026-03-31T00:30Z']);
  t.same(await run('0 0 29 2 *', 'UTC', '2025-01-01T00:00Z', 2), ['2028-02-29T00:00Z', '2032-02-29T00:00Z']);
  t.same(await run('0 0 13 * 5', 'UTC', '2026-01-08T00:00Z', 3), ['2026-01-09T00:00Z', '2026-01-13T00:00Z', '2026-01-16T00:00Z'],
    'of two day fields one must match');
  t.same(await run('0 0 */2 * 5', 'UTC', '2026-01-08T00:00Z', 2), ['2026-01-09T00:00Z', '2026-01-23T00:00Z'],
    'a field that begins with * does not count as given');
  t.same(await run('0 0 13 * *', 'UTC', '2026-01-08T00:00Z', 2), ['2026-01-13T00:00Z', '2026-02-13T00:00Z']);
  t.same(await run('0 0 31 2 *', 'UTC', '2026-01-01T00:00Z', 1), [null]);
  t.same(await sql`select service.cron_next('* * * * *', 'UTC', 'infinity') as next`, [{ next: null }]);
  t.same(await run('50/5 7 * * *', 'UTC', '2026-01-01T00:00Z', 3), ['2026-01-01T07:50Z', '2026-01-01T07:55Z', '2026-01-02T07:50Z']);
  t.same(await run(' 0\t0  * * * ', 'UTC', '2026-01-01T00:00Z', 1), ['2026-01-02T00:00Z']);
});

test('schedules and zones that cannot be read are refused', async t => {
  const next = await asker(t);
  const schedules = [
    '', ' ', '*', '* * * *', '* * * * * *', '61 3 * * *', '60 * * * *', '* 24 * * *', '* * 0 * *', '* * 32 * *', '* * * 13 *', '* * * 0 *',
    '* * * * 7', '* * * * MON', '5-1 * * * *', '*/0 * * * *', '1/ * * * *', '1- * * * *', ',1 * * * *', '1, * * * *', '1,,2 * * * *',
    '-1 * * * *', '1.5 * * * *', '@daily', '99999999999 * * * *', '*/99999 * * * *', '* * L * *', '* * ? * *',
    `${'1,'.repeat(50)}x * * * *`, null,
  ];
  for (const schedule of schedules) await t.rejects(next(schedule, 'UTC', 0), { code: 'GW400', hint: 'INVALID_INPUT' }, String(schedule));
  for (const zone of ['', 'Mars/Olympus', 'PST', 'FOO3', 'A/B3', '+02:00', 'europe', 'Europe/Berlin ', '../etc/passwd', null]) {
    await t.rejects(next('* * * * *', zone, 0), { code: 'GW400', hint: 'INVALID_INPUT' }, String(zone));
  }
  for (const zone of ['UTC', 'GMT', 'EST5EDT', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires', 'Africa/Porto-Novo']) {
    t.equal(await next('0 0 1 1 *', zone, 0) !== null, true, zone);
  }
});
