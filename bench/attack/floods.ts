/** Floods by one caller: the same requests over and over, by many connections. Each is answered, rejected, or cut off. */

/** `isRead` false: the answer is asked for and never taken. */
export type Request = { method: 'GET' | 'POST'; path: string; body?: string; isRead?: false };

export type Flood = {
  name: string;
  connections: number;
  /** Without a credential. */
  isAnonymous?: true;
  /** The n-th request of all. */
  request: (n: number) => Request;
  /** The expected statuses; 0 is a connection that was closed. */
  answers: number[];
};

const POSTS = '/api/data/posts';
const MEGABYTE = 1024 * 1024;

/** Made when it is first sent, once. */
function body(make: () => string): (n: number) => Request {
  let made: string | undefined;
  return () => ({ method: 'POST', path: POSTS, body: made ??= make() });
}

/** No two alike in their operators, so that none is compiled already. */
function conditions(count: number, n: number): Request {
  const operators = Array.from({ length: count }, (_, bit) => (n + 1) >> bit % 24 & 1 ? 'gte' : 'gt');
  return { method: 'GET', path: `/api/data/countries?${operators.map(operator => `id=${operator}.0`).join('&')}` };
}

export const FLOODS: Flood[] = [
  {
    name: '100,000 names in a body', connections: 8, answers: [400],
    request: body(() => `{${Array.from({ length: 100_000 }, (_, n) => `"name${n}":1`).join()}}`),
  },
  {
    name: 'five million brackets in a body', connections: 4, answers: [400, 503],
    request: body(() => `{"title":${'['.repeat(5e6)}${']'.repeat(5e6)}}`),
  },
  {
    name: 'bodies of 9.9 MB without a credential', connections: 100, isAnonymous: true, answers: [401, 503],
    request: body(() => `{"title":"${'x'.repeat(9.9 * MEGABYTE)}"}`),
  },
  { name: 'bodies of 5 MB', connections: 40, answers: [400, 503], request: body(() => `{"title":"${'x'.repeat(5 * MEGABYTE)}"}`) },
  {
    name: 'filters of 900 conditions, each another, without a credential', connections: 16, isAnonymous: true, answers: [200, 401, 503],
    request: n => conditions(900, n),
  },
  { name: 'filters of 800 conditions, each another', connections: 16, answers: [200, 503], request: n => conditions(800, n) },
  {
    name: 'lists of a thousand that nobody reads', connections: 40, answers: [200, 0],
    request: () => ({ method: 'GET', path: `${POSTS}?limit=1000&include=comments`, isRead: false }),
  },
  {
    name: 'authors with all their posts, 100 MB', connections: 6, answers: [200, 413, 503],
    request: () => ({ method: 'GET', path: '/api/data/authors?limit=1000&include=posts' }),
  },
];
