import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import dns from 'node:dns'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import { createServer as createRawServer, isIP, type AddressInfo, type Server, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { AddressDenied, createOutgoing, OUTGOING_BYTES, type OutgoingRules } from '#api/notify/outgoing.ts'

/** Each is the host of a URL; 127.0.0.1 in another spelling, unless it says otherwise. */
const LOOPBACK =
  `127.0.0.1 127.1 127.0.1 127.00.00.01 0177.0.0.1 0177.0.0.01 0x7f.0.0.1 0X7F.1 0x7f.0x0.0x0.0x1
  0x7f000001 0x7F000001 0x00000000007f000001 2130706433 017700000001 00000000177.0.0.1 127.0.0x0.1 0177.0x0.0.01
  127.0.0.1. 0x7f.1. 2130706433. %31%32%37.0.0.1 127%2e0%2e0%2e1 127%2E1 %30%78%37%66.1 127.0.0.%31
  １２７.０.０.１ 127。0。0。1 127．0．0．1 127｡0｡0｡1 ①②⑦.⓪.⓪.① 𝟏𝟐𝟕.𝟎.𝟎.𝟏 𝟙𝟚𝟟.𝟘.𝟘.𝟙 ¹²⁷.⁰.⁰.¹ ０ｘ７ｆ.1 １２７%EF%BC%8E1
  12\u00ad7.0.0.1 127.0\u200b.0.1 [::ffff:127.0.0.1] [::FFFF:127.0.0.1] [::ffff:7f00:1] [::ffff:7f00:0001]
  [0:0:0:0:0:ffff:127.0.0.1] [0:0:0:0:0:FFFF:7F00:0001] [0000:0000:0000:0000:0000:ffff:7f00:0001] [::0:ffff:127.0.0.1]
  localhost localhost. LOCALHOST LocalHost. loc%61lhost ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ ℒocalhost a.localhost localtest.test
  127.0.0.1.nip.test 127-0-0-1.sslip.test xn--inside.test inside.test. INSIDE.test`.split(/\s+/)

const ELSEWHERE_INSIDE =
  `127.0.0.2 127.255.255.254 127.127.127.127 0 0.0.0.0 0x0 00 0.1 0.0.0.0. [::] [0::0] [::ffff:0.0.0.0]
  [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [0::1] [::127.0.0.1] [::7f00:1]
  [0:0:0:0:0:0:127.0.0.1] [::ffff:0:127.0.0.1] [::ffff:0:7f00:1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1]
  [0064:FF9B:0:0:0:0:7F00:0001] [64:ff9b:1::127.0.0.1] [64:ff9b:1:7f00:0:100::] [2002:7f00:1::] [2002:7f00:0001::1]
  [2001:0:7f00:1::1] [2001::80ff:fffe] [2001:0000:4136:e378:8000:63bf:80ff:fffe] [fe80::1] [FE80::1] [febf::1]
  [fec0::1] [feff::1] [fc00::1] [fd00::] [FD00::1] [fd00:ec2::254] [fd00:0ec2:0:0:0:0:0:254] [fd20:ce::254]
  [ff02::1] [ff0e::1] [100::1] [2001:db8::1] [2001:2::1] [2001:20::1] [3fff::1] [5f00::1] [4000::1] [fe80::1%lo]
  [fe80::1%25lo] [::1%lo] 169.254.169.254 169.254.170.2 2852039166 0xA9FEA9FE 0xa9.0xfe.0xa9.0xfe 0251.0376.0251.0376
  169.254.43518 169.16689662 0251.254.169.254 169。254。169。254 １６９.２５４.１６９.２５４ ①⑥⑨.②⑤④.①⑥⑨.②⑤④
  [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [::169.254.169.254] [::a9fe:a9fe] [64:ff9b::169.254.169.254]
  [2002:a9fe:a9fe::] 168.63.129.16 0xA83F8110 100.100.100.200 192.0.0.192 metadata.google.internal metadata metadata.
  10.0.0.5 10.1 012.0.0.5 0xa000005 167772165 [::ffff:10.0.0.5] [::10.0.0.5] 172.16.0.1 172.31.255.255 192.168.1.1
  3232235777 192.168.257 100.64.0.1 100.127.255.255 198.18.0.1 198.19.255.255 192.0.2.1 198.51.100.1 203.0.113.1
  192.88.99.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 4294967295 mixed.test six.test zone.test
  embedded.test`.split(/\s+/)

/** Whole URLs, with `@P` for the host and port of the server inside. */
const TRICKS = [
  'https://example.com@@P/',
  'https://example.com:443@@P/',
  'https://example.com%40@@P/',
  'https://:@@P/',
  'https://@@P/',
  'https://@P@example.com/',
  'https://@P\\@example.com/',
  'https://example.com\\@@P/',
  'https://example.com#@@P/',
  'https://example.com?@@P/',
  'https://@P#@example.com/',
  'https:@P/',
  'https:/@P/',
  'https:///@P/',
  'https:\\\\@P/',
  'HTTPS://@P/',
  ' \u0001https://@P/ ',
  'ht\ntps://@P/',
  'https:/\t/@P/',
  'https://127.0.0.1\t@P/',
  'https://127.0.\r\n0.1/',
  'https://[::1/',
  'https://256.256.256.256/',
  'https://127.0.0.1%00.example.com/',
  'https://127.0.0.1:0443/',
  '//@P/',
  '@P/',
  'gopher://@P/_POST',
  'ftp://@P/',
  'ws://@P/',
  'file:///etc/passwd',
  'unix:/run/docker.sock',
  'data:text/plain,x',
  '',
]

const NAMES: Record<string, string[]> = {
  'mixed.test': ['8.8.8.8', '10.0.0.5'],
  'six.test': ['2606:4700::1111', '::1'],
  'zone.test': ['fe80::1%lo'],
  'embedded.test': ['64:ff9b::a9fe:a9fe'],
  metadata: ['169.254.169.254'],
  'metadata.': ['169.254.169.254'],
  'metadata.google.internal': ['169.254.169.254'],
}

const found = (...addresses: string[]) => addresses.map((address) => ({ address, family: isIP(address) }))
/** A hostile resolver: every other name leads inside. */
const hostileLookup = async (name: string) =>
  found(...(NAMES[name] ?? (isIP(name) === 0 ? ['127.0.0.1'] : [name])))

const outgoing = (rules: Partial<OutgoingRules> = {}) =>
  createOutgoing({
    allowedNetworks: '',
    trustedOrigins: [],
    timeLimit: 1_000,
    lookup: hostileLookup,
    ...rules,
  })

describe('outgoing requests', () => {
  const open = new Set<Server>()
  let connections: number
  let seen: (Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string })[]
  let port: number

  async function listen(server: Server): Promise<number> {
    open.add(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
  /** Counts, and keeps what it received. */
  async function receive(incoming: IncomingMessage, answer: ServerResponse) {
    let body = ''
    for await (const chunk of incoming as AsyncIterable<Buffer>) body += chunk.toString()
    const { method, url, headers } = incoming
    seen.push({ method, url, headers, body })
    const status = Number(/^\/status\/(\d+)/.exec(url ?? '')?.[1] ?? 200)
    answer.writeHead(status, { 'X-Seen': 'yes', Location: `http://127.0.0.1:${port}/inside` }).end('received')
  }
  /** Writes after the head of a request. @returns its URL, and when its only connection has ended */
  async function raw(write: (socket: Socket) => void): Promise<{ url: string; ended: Promise<number> }> {
    const ended = Promise.withResolvers<number>()
    const server = createRawServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('close', () => ended.resolve(socket.bytesWritten))
      socket.once('data', () => write(socket))
    })
    return { url: `http://127.0.0.1:${await listen(server)}/`, ended: ended.promise }
  }

  beforeEach(async () => {
    connections = 0
    seen = []
    const server = createServer((incoming, answer) => void receive(incoming, answer))
    server.on('connection', () => (connections += 1))
    port = await listen(server)
  })
  afterEach(() => {
    for (const server of open) server.close()
    open.clear()
  })

  const corpus = () => {
    const hosts = [...LOOPBACK, ...ELSEWHERE_INSIDE]
    return [
      ...hosts.flatMap((host) => [`https://${host}:${port}/`, `http://${host}:${port}/`, `https://${host}/`]),
      ...TRICKS.map((trick) => trick.replace('@P', `127.0.0.1:${port}`)),
    ]
  }
  async function areDenied(urls: string[], rules: Partial<OutgoingRules>) {
    const { request } = outgoing(rules)
    for (const url of urls)
      await assert.rejects(request(url, { body: 'x' }), AddressDenied, JSON.stringify(url))
    assert.deepEqual({ connections, requests: seen.length }, { connections: 0, requests: 0 })
  }

  it('an outgoing request reaches no address inside, in any of its notations', async () => {
    assert.ok(new Set([...LOOPBACK, ...ELSEWHERE_INSIDE, ...TRICKS]).size >= 200)
    await areDenied(corpus(), {})
  })

  it('an address inside is denied as such, not for its port or scheme', async () => {
    await areDenied(corpus(), { httpsPort: port })
    await areDenied(corpus(), { httpsPort: port, allowedNetworks: '172.20.0.0/16, 2606:4700::/32' })
    const { faultOf } = outgoing({ httpsPort: port })
    const literal = [...LOOPBACK, ...ELSEWHERE_INSIDE].map((host) => `https://${host}:${port}/`)
    const judged = literal.filter((url) => isIP(URL.parse(url)?.hostname.replace(/[[\]]/g, '') ?? '') !== 0)
    assert.ok(judged.length > 120)
    for (const url of judged) assert.match(faultOf(url) ?? '', /leads to a private or reserved network/, url)
  })

  it('an address inside is reached in its notations where the operator allowed it, and no other is', async () => {
    const { request } = outgoing({ allowedNetworks: '127.0.0.1' })
    for (const host of LOOPBACK) {
      const { status } = await request(`http://${host}:${port}/`, { body: 'x' })
      assert.equal(status, 200, host)
    }
    assert.equal(seen.length, LOOPBACK.length)
    for (const host of ELSEWHERE_INSIDE)
      await assert.rejects(request(`http://${host}:${port}/`, {}), AddressDenied, host)
    assert.equal(connections, LOOPBACK.length)
  })

  it('an address behind a name of this machine is denied with the look-up of the system', async () => {
    const { request } = createOutgoing({ allowedNetworks: '', trustedOrigins: [], httpsPort: port })
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])
      await assert.rejects(request(`https://${host}:${port}/`, {}), AddressDenied)
    assert.equal(connections, 0)
  })

  it('an outgoing request connects to the addresses it checked, although their name changes', async () => {
    let lookups = 0
    const lookup = async () => found((lookups += 1) % 2 === 1 ? '127.0.0.2' : '127.0.0.1')
    const { request } = outgoing({ allowedNetworks: '127.0.0.2', timeLimit: 200, lookup })
    const systemLookup = dns.lookup
    // Any other look-up on the way leads inside.
    const leadInside = (_name: string, _options: object, done: (...results: unknown[]) => void) =>
      done(null, found('127.0.0.1'), 4)
    Object.assign(dns, { lookup: leadInside })
    syncBuiltinESMExports()
    try {
      for (let round = 1; round <= 10; round += 1) {
        const outcome = request(`http://rebinding.test:${port}/`, {})
        if (round % 2 === 0) await assert.rejects(outcome, AddressDenied)
        else await assert.rejects(outcome, /ECONNREFUSED|No answer/)
        assert.equal(lookups, round)
      }
    } finally {
      Object.assign(dns, { lookup: systemLookup })
      syncBuiltinESMExports()
    }
    assert.equal(connections, 0)
  })

  it('an outgoing request follows no redirect, also not within an allowed network', async () => {
    const { request } = outgoing({ allowedNetworks: '127.0.0.1' })
    const statuses = [300, 301, 302, 303, 305, 307, 308]
    for (const status of statuses) {
      const answer = await request(`http://127.0.0.1:${port}/status/${status}`, { body: 'x' })
      assert.equal(answer.status, status)
      assert.equal(answer.headers['location'], `http://127.0.0.1:${port}/inside`)
    }
    assert.deepEqual(
      seen.map(({ url }) => url),
      statuses.map((status) => `/status/${status}`),
    )
  })

  it('an address outside may be used only by https at port 443, and without credentials', () => {
    const { faultOf } = outgoing()
    for (const url of [
      'https://8.8.8.8/',
      'https://[2606:4700::1111]:443/x',
      'https://example.com/hook?a=1#b',
    ])
      assert.equal(faultOf(url), null, url)
    const port443 = /^The address must use https and port 443, unless the operator allowed its network$/
    for (const url of [
      'http://8.8.8.8/',
      'https://8.8.8.8:8443/',
      'http://example.com/',
      'https://a.test:80/',
    ])
      assert.match(faultOf(url) ?? '', port443, url)
    assert.match(faultOf('https://me:secret@example.com/') ?? '', /no user name and no password/)
    assert.match(faultOf('https://me@8.8.8.8/') ?? '', /no user name and no password/)
    assert.match(faultOf('example.com/hook') ?? '', /whole address/)
    assert.match(faultOf('ftp://example.com/') ?? '', /must begin with https/)
    assert.match(faultOf('https://10.0.0.5/') ?? '', /network, which the operator/)
  })

  it('an address outside is denied at another port although the operator allowed other networks', async () => {
    const lookup = async () => found('10.0.0.5', '8.8.8.8')
    const { request, faultOf } = outgoing({ allowedNetworks: '10.0.0.0/8', lookup })
    assert.equal(faultOf('http://name.test:8080/'), null)
    await assert.rejects(request('http://name.test:8080/', {}), /must use https and port 443/)
    await assert.rejects(request('https://8.8.8.8:8443/', {}), /must use https and port 443/)
  })

  it('an outgoing request reaches an origin of the operator, and no other origin of its host', async () => {
    const { request } = outgoing({ trustedOrigins: [`http://127.0.0.1:${port}/`] })
    assert.equal((await request(`http://127.0.0.1:${port}/bot/send?x=1`, { body: 'x' })).status, 200)
    assert.equal(seen[0]?.url, '/bot/send?x=1')
    const other = await listen(createServer((incoming, answer) => void receive(incoming, answer)))
    for (const url of [
      `http://127.0.0.1:${other}/`,
      `https://127.0.0.1:${port}/`,
      `http://a@127.0.0.1:${port}/`,
    ])
      await assert.rejects(request(url, {}), AddressDenied, url)
    assert.equal(seen.length, 1)
  })

  it('an outgoing request sends its headers and body as given, with their length and a name', async () => {
    const { request } = outgoing({ allowedNetworks: '127.0.0.0/8' })
    const url = `http://127.0.0.1:${port}/a?b=c`
    const answer = await request(url, { headers: { 'Content-Type': 'text/plain' }, body: 'über' })
    assert.deepEqual([answer.status, answer.headers['x-seen'], answer.body], [200, 'yes', 'received'])
    await request(url, {
      headers: { 'user-agent': 'other', connection: 'keep-alive' },
      body: Buffer.from('x'),
    })
    await request(url, {})
    const [first, second, third] = seen
    assert.deepEqual([first?.method, first?.url, first?.body], ['POST', '/a?b=c', 'über'])
    assert.equal(first?.headers['user-agent'], 'durable-trader')
    assert.equal(first?.headers['content-type'], 'text/plain')
    assert.equal(first?.headers['transfer-encoding'], undefined)
    assert.deepEqual(
      [first, second, third].map((each) => each?.headers['content-length']),
      ['5', '1', '0'],
    )
    assert.equal(second?.headers['user-agent'], 'other')
  })

  it('an outgoing request verifies the certificate of the name in its URL', async () => {
    const { key, certificate } = selfSigned('receiver.test')
    const server = createTlsServer(
      { key, cert: certificate },
      (incoming, answer) => void receive(incoming, answer),
    )
    const tlsPort = await listen(server)
    const { request } = outgoing({ allowedNetworks: '127.0.0.1' })
    const send = (name: string) => request(`https://${name}:${tlsPort}/tls`, { body: 'x' })
    await assert.rejects(send('receiver.test'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    const usual = getCACertificates('default')
    setDefaultCACertificates([...usual, certificate])
    try {
      assert.equal((await send('receiver.test')).status, 200)
      await assert.rejects(send('other.test'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    } finally {
      setDefaultCACertificates(usual)
    }
    assert.equal(seen.length, 1)
  })

  const HEAD = 'HTTP/1.1 200 OK\r\n'
  const endless = (start: string, piece: string) => (socket: Socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    }
    socket.on('drain', more)
    socket.write(start)
    more()
  }
  const drip = (start: string, piece: string) => (socket: Socket) => {
    socket.write(start)
    const timer = setInterval(() => socket.write(piece), 20)
    socket.on('close', () => clearInterval(timer))
  }
  const allowing = (timeLimit: number) => outgoing({ allowedNetworks: '127.0.0.1', timeLimit }).request

  it('an outgoing request reads an endless answer up to its bound, and ends the connection', async () => {
    const { url, ended } = await raw(endless(`${HEAD}\r\n`, 'x'.repeat(65_536)))
    const { status, body } = await allowing(5_000)(url, {})
    assert.deepEqual([status, body], [200, 'x'.repeat(OUTGOING_BYTES)])
    // Buffers of the system hold what was not read.
    assert.ok((await ended) < 32 * 1_024 * 1_024)
  })

  const PERSISTENT: Record<string, (socket: Socket) => void> = {
    'that never comes': () => undefined,
    'whose head comes slowly': drip(HEAD, 'a: b\r\n'),
    'whose body comes slowly': drip(`${HEAD}\r\n`, 'x'),
    'after endless interim answers': endless('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
    'that changes the protocol': (socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  }
  for (const [answer, write] of Object.entries(PERSISTENT))
    it(`an outgoing request ends at its time limit with an answer ${answer}`, async () => {
      const { url, ended } = await raw(write)
      const start = performance.now()
      await assert.rejects(allowing(300)(url, { body: 'x' }), /^Error: No answer within 0\.3 s$/)
      await ended
      const took = performance.now() - start
      assert.ok(took >= 290 && took < 2_000, `${took} ms`)
    })

  const MALFORMED: Record<string, (socket: Socket) => void> = {
    'endless headers': endless(HEAD, 'a: b\r\n'.repeat(1_000)),
    'one endless header': endless(`${HEAD}a: `, 'b'.repeat(65_536)),
    'endless trailers': endless(
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n`,
      'a: b\r\n'.repeat(1_000),
    ),
    'an endless chunk extension': endless(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1;`, 'x'.repeat(65_536)),
    'less than it announced': (socket) => socket.end(`${HEAD}Content-Length: 10\r\n\r\nabc`),
    'a reset connection': (socket) => {
      socket.write(`${HEAD}Content-Length: 10\r\n\r\nabc`)
      setTimeout(() => socket.resetAndDestroy(), 20)
    },
    'another protocol': (socket) => socket.end('SSH-2.0-OpenSSH\r\n'),
  }
  for (const [answer, write] of Object.entries(MALFORMED))
    it(`an outgoing request fails at once when its answer has ${answer}`, async () => {
      const { url, ended } = await raw(write)
      await assert.rejects(allowing(5_000)(url, {}), { code: /^(HPE_|ECONNRESET)/ })
      assert.ok((await ended) < 32 * 1_024 * 1_024)
    })

  it('an outgoing request ends at its time limit when its name is looked up slowly, and connects no more', async () => {
    const late = Promise.withResolvers<void>()
    const lookup = async () => {
      await late.promise
      return found('127.0.0.1')
    }
    const { request } = outgoing({ allowedNetworks: '127.0.0.1', timeLimit: 50, lookup })
    await assert.rejects(request(`http://slow.test:${port}/`, {}), /No answer within 0\.05 s/)
    late.resolve()
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.equal(connections, 0)
  })
})

/** A certificate of one name, in PEM: ASN.1 by hand, so that no key lies in the repository. */
function selfSigned(name: string): { key: string; certificate: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const field = (tag: number, ...parts: (Buffer | string)[]): Buffer => {
    const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
    const { length } = content
    const size = length < 128 ? [length] : [0x82, length >> 8, length & 255]
    return Buffer.concat([Buffer.from([tag, ...size]), content])
  }
  const list = (...parts: Buffer[]) => field(0x30, ...parts)
  const id = (hex: string) => field(6, Buffer.from(hex, 'hex'))
  const algorithm = list(id('2a8648ce3d040302'))
  const commonName = list(field(0x31, list(id('550403'), field(12, name))))
  const validity = list(field(0x17, '250101000000Z'), field(0x17, '490101000000Z'))
  const names = list(id('551d11'), field(4, list(field(0x82, name))))
  const serial = field(2, Buffer.from([1]))
  const content = list(
    field(0xa0, field(2, Buffer.from([2]))),
    serial,
    algorithm,
    commonName,
    validity,
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    field(0xa3, list(names)),
  )
  const signature = field(3, Buffer.from([0]), sign('sha256', content, privateKey))
  const base64 = list(content, algorithm, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  }
}
