import assert from 'node:assert/strict'
import { addressBucket, clientAddress } from '#api/access/client-address.ts'
import { parseTrustedProxies } from '#contract/values/networks.ts'

const nobody = parseTrustedProxies('')
const proxies = parseTrustedProxies('10.0.0.0/8, 127.0.0.1, 2001:db8:1::/48')

describe('a client’s address', () => {
  it('a client’s address is that of the connection, for any claim, where no proxy is trusted', () => {
    assert.equal(clientAddress('127.0.0.1', '1.2.3.4', nobody), '127.0.0.1')
    assert.equal(clientAddress('::ffff:203.0.113.9', '1.2.3.4', nobody), '203.0.113.9')
  })

  it('a client’s address is that of the connection when it is not from a trusted proxy', () => {
    assert.equal(clientAddress('203.0.113.9', '1.2.3.4', proxies), '203.0.113.9')
  })

  it('a client’s address is the last one that our proxies did not write themselves', () => {
    assert.equal(clientAddress('10.1.1.1', '6.6.6.6, 203.0.113.9, 10.2.2.2', proxies), '203.0.113.9')
    assert.equal(clientAddress('127.0.0.1', '203.0.113.9', proxies), '203.0.113.9')
    assert.equal(clientAddress('2001:db8:1::5', '2001:db8:9::7', proxies), '2001:db8:9::7')
  })

  it('a client’s address is read with a port behind it, as some proxies write it', () => {
    assert.equal(clientAddress('10.1.1.1', '203.0.113.9:51234', proxies), '203.0.113.9')
    assert.equal(
      clientAddress('10.1.1.1', '6.6.6.6:1, 203.0.113.9:51234, 10.2.2.2:443', proxies),
      '203.0.113.9',
    )
    assert.equal(clientAddress('10.1.1.1', '[2001:db8:9::7]:51234', proxies), '2001:db8:9::7')
    assert.equal(clientAddress('10.1.1.1', '[2001:db8:9::7]', proxies), '2001:db8:9::7')
    assert.equal(clientAddress('10.1.1.1', '[::ffff:203.0.113.9]:80', proxies), '203.0.113.9')
    assert.equal(clientAddress('10.1.1.1', '[fe80::1%eth0]:80', proxies), 'fe80::1')
    for (const text of [
      '203.0.113.9:x',
      '203.0.113.9:',
      ':80',
      '[203.0.113.9',
      '[]:80',
      '1.2.3:80',
      '[[::1]]:1',
    ])
      assert.equal(clientAddress('10.1.1.1', text, proxies), '10.1.1.1', text)
  })

  it('a client’s address is the nearest known one when nothing usable is claimed', () => {
    assert.equal(clientAddress('10.1.1.1', '', proxies), '10.1.1.1')
    assert.equal(clientAddress('10.1.1.1', 'unknown', proxies), '10.1.1.1')
    assert.equal(clientAddress('10.1.1.1', '203.0.113.9, <script>, 10.3.3.3', proxies), '10.3.3.3')
    assert.equal(clientAddress('10.1.1.1', '10.4.4.4', proxies), '10.4.4.4')
  })
})

describe('trusted proxies', () => {
  for (const text of ['everybody', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', '::/129', '10.0.0.0/-1'])
    it(`trusted proxies cannot be ${text}`, () => assert.throws(() => parseTrustedProxies(text), RangeError))
})

describe('an address bucket', () => {
  it('an address bucket is the address itself in IPv4', () =>
    assert.equal(addressBucket('203.0.113.9'), '203.0.113.9'))

  const networks: [address: string, network: string][] = [
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1:2:3::', '1:2:3:0::/64'],
    ['64:ff9b::203.0.113.9', '64:ff9b:0:0::/64'],
  ]
  for (const [address, network] of networks)
    it(`an address bucket of ${address} is ${network}`, () => assert.equal(addressBucket(address), network))
})
