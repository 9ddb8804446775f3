// node autocannon.mjs URL JSON: what walk.lua does, for machines without wrk. Prints how many requests were answered.
import autocannon from 'autocannon';

const [url, options] = process.argv.slice(2);
const { method, path, body, headers, tokens, connections, seconds } = JSON.parse(options);
let n = 0;
const headersOf = token => ({ ...headers, authorization: `Bearer ${token}` });
const callers = tokens.length === 0 ? [headers] : tokens.map(headersOf);
const walking = text => text.replaceAll('#', String(n));
const result = await autocannon({
  url, method, headers, connections, duration: seconds, timeout: 60,
  requests: [{
    setupRequest(request) {
      n = n % 1000 + 1;
      return { ...request, headers: callers[n % callers.length], path: walking(path), ...(body !== '' && { body: walking(body) }) };
    },
  }],
});
console.log(JSON.stringify({
  requests: result['2xx'], seconds: result.duration, failures: result.non2xx + result.errors, p99: result.latency.p99,
}));
