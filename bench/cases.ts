/** The requests, in the syntax of each server. # is a number that walks from 1 to 1,000. */
import type { Ask } from './load/load.ts';

export type ServerName = 'floor' | 'rowgate' | 'platformatic' | 'postgraphile';
export type Topic = 'get' | 'list' | 'include' | 'count' | 'aggregate' | 'insert';
/** `connections` are few where a request is slow: those cut off at the end of a round are paid for and not counted. */
export type Case = { topic: Topic; name: string; connections: number; asks: Partial<Record<ServerName, Ask>> };

const get = (path: string): Ask => ({ method: 'GET', path, body: '' });
const send = (method: Ask['method'], path: string, body: unknown): Ask =>
  ({ method, path, body: JSON.stringify(body).replaceAll('"#"', '#') });
const graphql = (query: string): Ask => send('POST', '/graphql', { query, variables: query.includes('$n') ? { n: '#' } : {} });

const thousand = <T>(row: T): T[] => Array.from({ length: 1000 }, () => row);

const LIVE = '/api/data/posts?authorId=eq.#&status=eq.live';
const POST = { authorId: '#', title: 'Post number #', status: 'live', price: 12.5, createdAt: '2024-05-06T07:08:09Z' };

const OWN_COLUMNS = 'title status price createdAt';
const COLUMNS = `authorId ${OWN_COLUMNS}`;
const PLATFORMATIC_WHERE = 'where: {authorId: {eq: $n}, status: {eq: "live"}}';
const platformaticPage = (nested: string) => graphql(`query ($n: ID!) {
  data: posts(limit: 50, orderBy: [{field: id, direction: DESC}], ${PLATFORMATIC_WHERE}) { id ${OWN_COLUMNS} ${nested} }
  total: countPosts(${PLATFORMATIC_WHERE}) { total } }`);
const POSTGRAPHILE_WHERE = 'condition: {authorId: $n, status: "live"}';
const postgraphilePage = (nested: string) => graphql(`query ($n: Int!) {
  data: allPosts(first: 50, orderBy: ROW_ID_DESC, ${POSTGRAPHILE_WHERE}) { totalCount nodes { id: rowId ${COLUMNS} ${nested} } } }`);

export const CASES: Case[] = [
  {
    topic: 'get', name: 'get by id', connections: 64,
    asks: {
      floor: get('/get/#'),
      rowgate: get('/api/data/posts/#'),
      platformatic: get('/posts/#'),
      postgraphile: graphql(`query ($n: Int!) { data: postByRowId(rowId: $n) { id: rowId ${COLUMNS} } }`),
    },
  },
  {
    topic: 'get', name: 'get by id + one hop (author)', connections: 64,
    asks: { floor: get('/author/#'), rowgate: get('/api/data/posts/#?include=author') },
  },
  {
    topic: 'list', name: 'list of 50, two filters', connections: 64,
    asks: {
      floor: get('/list/#'),
      rowgate: get(LIVE),
      platformatic: get('/posts?where.authorId.eq=#&where.status.eq=live&orderby.id=desc&limit=50&totalCount=true'),
      postgraphile: postgraphilePage(''),
    },
  },
  { topic: 'list', name: 'list of 5, two filters', connections: 64, asks: { floor: get('/five/#'), rowgate: get(`${LIVE}&limit=5`) } },
  { topic: 'list', name: 'list of 50 of all 501,000', connections: 4, asks: { floor: get('/list'), rowgate: get('/api/data/posts') } },
  {
    topic: 'include', name: 'list of 50 + one hop (author)', connections: 64,
    asks: {
      floor: get('/include/#'),
      rowgate: get(`${LIVE}&include=author`),
      platformatic: platformaticPage('author { id name }'),
      postgraphile: postgraphilePage('author: authorByAuthorId { id: rowId countryId name }'),
    },
  },
  {
    topic: 'include', name: 'list of 50 + three hops (comments.author.country)', connections: 16,
    asks: {
      floor: get('/hops/#'),
      rowgate: get(`${LIVE}&include=comments.author.country`),
      platformatic: platformaticPage(
        'comments(limit: 100, orderBy: [{field: id, direction: DESC}]) { id body author { id name country { id name } } }',
      ),
      postgraphile: postgraphilePage('comments: commentsByPostId(orderBy: ROW_ID_DESC) { nodes { id: rowId postId authorId body author: '
        + 'authorByAuthorId { id: rowId countryId name country: countryByCountryId { id: rowId name } } } }'),
    },
  },
  {
    topic: 'count', name: 'count, two filters', connections: 64,
    asks: {
      floor: get('/count/#'),
      rowgate: get('/api/data/posts/count?authorId=eq.#&status=eq.live'),
      platformatic: graphql(`query ($n: ID!) { total: countPosts(${PLATFORMATIC_WHERE}) { total } }`),
      postgraphile: graphql(`query ($n: Int!) { data: allPosts(${POSTGRAPHILE_WHERE}) { totalCount } }`),
    },
  },
  { topic: 'count', name: 'count of all 501,000', connections: 4, asks: { floor: get('/count'), rowgate: get('/api/data/posts/count') } },
  {
    topic: 'aggregate', name: 'sum and average by group, 501 rows', connections: 64,
    asks: {
      floor: get('/aggregate/#'),
      rowgate: get('/api/data/posts/aggregate?select=sum(price),avg(price)&groupBy=status&authorId=eq.#'),
      postgraphile: graphql('query ($n: Int!) { data: allPosts(condition: {authorId: $n}) { groupedAggregates(groupBy: STATUS) { keys sum '
        + '{ price } average { price } } } }'),
    },
  },
  {
    topic: 'aggregate', name: 'sum and average by group, 501,000 rows', connections: 4,
    asks: { floor: get('/aggregate'), rowgate: get('/api/data/posts/aggregate?select=sum(price),avg(price)&groupBy=status') },
  },
  {
    topic: 'insert', name: 'update', connections: 64,
    asks: {
      floor: send('PATCH', '/update/#', { title: 'Changed by #', price: 99.95 }),
      rowgate: send('PATCH', '/api/data/posts/#', { title: 'Changed by #', price: 99.95 }),
    },
  },
  {
    topic: 'insert', name: 'insert', connections: 64,
    asks: {
      floor: send('POST', '/create', POST),
      rowgate: send('POST', '/api/data/posts', POST),
      platformatic: send('POST', '/posts', POST),
      postgraphile: graphql(`mutation ($n: Int!) { data: createPost(input: {post: {authorId: $n, title: "Post number #", status: "live", `
        + `price: "12.50", createdAt: "2024-05-06T07:08:09Z"}}) { post { id: rowId ${COLUMNS} } } }`),
    },
  },
  {
    topic: 'insert', name: 'bulk of 1,000', connections: 4,
    asks: {
      rowgate: send('POST', '/api/data/posts/bulk', { rows: thousand(POST) }),
      platformatic: send('POST', '/graphql', {
        query: `mutation ($inputs: [PostInput]!) { data: insertPosts(inputs: $inputs) { id ${OWN_COLUMNS} } }`,
        variables: { inputs: thousand({ ...POST, price: '12.50' }) },
      }),
    },
  },
];

const RULED_BODY = { title: 'Title number #', sku: 'AB-#', contact: 'someone@example.org', price: 12.5 };
const ruled = (name: string, method: 'POST' | 'PATCH', path: string): Case => ({
  topic: 'insert', name, connections: 64,
  asks: { floor: send(method, path, RULED_BODY), rowgate: send(method, `/api/data${path}`, RULED_BODY) },
});

/** The floor takes the same JSON in one insert … select. */
function bulk(name: string, path: string): Case {
  const body = { rows: thousand(RULED_BODY) };
  return {
    topic: 'insert', name, connections: 4, asks: { floor: send('POST', path, body), rowgate: send('POST', `/api/data${path}`, body) },
  };
}

/** Writes to the tables of collections/: the same columns, in the second four with rules and two that are stamped. */
export const RULED: Case[] = [
  ruled('update', 'PATCH', '/notes/#'),
  ruled('insert', 'POST', '/notes'),
  ruled('update, four fields with rules, two stamps', 'PATCH', '/offers/#'),
  ruled('insert, four fields with rules, two stamps', 'POST', '/offers'),
  bulk('bulk of 1,000', '/notes/bulk'),
  bulk('bulk of 1,000, four fields with rules, two stamps', '/offers/bulk'),
];

/** The first request to a server: the row whose key is 1. */
export const FIRST: Case['asks'] = CASES[0]?.asks ?? {};
