import { test } from 'tap';
import { addressText, clientAddress } from '../../gateway/http/client-address.ts';

test('the client stands as many places before the end as there are trusted proxies', t => {
  const socket = '10.0.0.1';
  t.equal(clientAddress(socket, '6.6.6.6', 0), socket, 'nobody is trusted by default');
  t.equal(clientAddress(socket, '', 1), socket);
  t.equal(clientAddress(socket, '6.6.6.6, 203.0.113.7', 1), '203.0.113.7');
  t.equal(clientAddress(socket, '6.6.6.6, 203.0.113.7, 10.0.0.2', 2), '203.0.113.7');
  t.equal(clientAddress(socket, '203.0.113.7', 5), '203.0.113.7', 'fewer proxies than configured');
  t.equal(clientAddress(socket, '203.0.113.7:5678', 1), '203.0.113.7');
  t.equal(clientAddress(socket, '[2001:db8::1]:443', 1), '2001:db8::1');
  for (const bad of ['unknown', '<script>', '999.1.1.1', ' , ', '1.2.3.4, ']) t.equal(clientAddress(socket, bad, 1), socket, bad);
  t.end();
});

test('a socket\'s bytes as text', t => {
  t.equal(addressText(new Uint8Array([192, 0, 2, 1])), '192.0.2.1');
  t.equal(addressText(new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, 1])), '192.0.2.1');
  t.equal(addressText(new Uint8Array([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])), '2001:db8::1');
  t.equal(addressText(new Uint8Array(16)), '::');
  t.equal(addressText(new Uint8Array(0)), '');
  t.end();
});
