import assert from 'node:assert/strict'
import { isOwnHost, mayReadMetrics, namesThisMachine, readHost } from '#domain/hook/host-name.ts'

describe('the name of a host', () => {
  for (const [name, spellings] of Object.entries({
    'hooks.example.com': ['hooks.example.com', 'HOOKS.Example.COM', 'hooks.example.com.'],
    '127.0.0.1': ['127.0.0.1', '127.0.0.1.'],
    '::1': ['[::1]', '[0:0:0:0:0:0:0:1]'],
    '2001:db8::a': ['[2001:db8::a]', '[2001:DB8::A]', '[2001:0db8:0:0::000a]'],
  }))
    it(`the name of a host is ${name} in every spelling, with each port and without`, () => {
      for (const spelling of spellings)
        for (const port of ['', ':', ':80', ':443', ':3000'])
          assert.equal(readHost(spelling + port)?.name, name, spelling + port)
    })

  it('the name of a host has no port where that is the default one of its protocol', () => {
    assert.equal(readHost('a.example:443', 'https:')?.port, '')
    assert.equal(readHost('a.example:443', 'http:')?.port, '443')
    assert.equal(readHost('a.example:8443', 'https:')?.port, '8443')
  })

  it('the name of a host is none of text that is no host', () => {
    for (const text of [
      '',
      ' ',
      '.',
      ':80',
      'a b',
      'a/b',
      'a@b',
      'a#b',
      'a?b',
      'a\\b',
      'a:b',
      'a:99999',
      '[::1',
      '::1',
    ])
      assert.equal(readHost(text)?.name || null, null, text)
  })

  it('the name of a host is of this machine for its names alone', () => {
    for (const host of ['localhost', 'LOCALHOST:80', '127.0.0.1:3000', '[::1]', 'localhost.'])
      assert.ok(namesThisMachine(host), host)
    for (const host of [
      '',
      'localhost.example',
      '127.0.0.1.example',
      '192.0.2.1',
      'a@localhost',
      '127.0.0.2',
    ])
      assert.ok(!namesThisMachine(host), host)
  })

  it('the name of a host is meant by a request to it, to an address of digits or to localhost, and not to a name that leads here', () => {
    for (const host of ['localhost:1', '192.0.2.7', '[::1]:9', 'Venue:3100', 'venue.'])
      assert.ok(isOwnHost(host, ['venue']), host)
    for (const host of [undefined, '', 'evil.example', 'venue.evil.example', 'localhost.evil.example'])
      assert.ok(!isOwnHost(host, ['venue']), host)
  })

  it('the name of a host does not matter to metrics that are served to a network', () => {
    for (const address of ['127.0.0.1', '127.3.2.1', '::1', 'localhost', 'LOCALHOST'])
      for (const [host, isAnswered] of [
        ['localhost:9464', true],
        ['127.0.0.1:9464', true],
        ['worker:9464', false],
        [undefined, false],
      ] as const)
        assert.equal(mayReadMetrics(address, host), isAnswered, `${address} ${host}`)
    for (const address of ['0.0.0.0', '::', '10.0.0.7', 'worker', '127.example'])
      assert.ok(mayReadMetrics(address, 'worker:9464'), address)
  })
})
