import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { createServer as createHttpServer, request } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileMailbox, type Mailbox, smtpMailer } from '#api/mail/mail.ts'
import { mailboxSecretFile, readOrMakeMailboxSecret } from '#api/mail/mailbox-page.ts'
import { MAILBOX_SECRET, startApi, type ApiServer } from '../support/api-server.ts'
import { askRaw } from '../support/raw-request.ts'

describe('mail by SMTP', () => {
  let server: Server
  let heard: string
  before(async () => {
    server = createServer((socket) => {
      let isData = false
      socket.write('220 test\r\n')
      socket.on('data', (bytes) => {
        const text = bytes.toString()
        heard += text
        if (isData) {
          if (!heard.endsWith('\r\n.\r\n')) return
          isData = false
          socket.write('250 taken\r\n')
        } else if (text.startsWith('DATA')) {
          isData = true
          socket.write('354 go on\r\n')
        } else if (text.startsWith('QUIT')) socket.end('221 bye\r\n')
        else socket.write('250 fine\r\n')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  beforeEach(() => {
    heard = ''
  })
  after(() => server.close())

  it('mail by SMTP is passed to the server, to one recipient for any form of the address', async () => {
    const { port } = server.address() as AddressInfo
    const mailer = smtpMailer(`smtp://127.0.0.1:${port}`, 'Durable Trader <trader@example.test>')
    await mailer.send({
      to: 'jane@example.test',
      subject: 'Hello',
      text: 'Line one\n\nhttps://x.test/#token=abc',
    })
    mailer.close()
    assert.match(heard, /MAIL FROM:<trader@example\.test>/)
    assert.equal(heard.match(/RCPT TO/g)?.length, 1)
    assert.match(heard, /RCPT TO:<jane@example\.test>/)
    assert.match(heard, /Subject: Hello/)
    assert.match(heard, /token=3Dabc|token=abc/)
  })

  it('fails, rather than being lost, when there is no server', async () => {
    const mailer = smtpMailer('smtp://127.0.0.1:1', 'trader@example.test')
    await assert.rejects(mailer.send({ to: 'jane@example.test', subject: 'Hello', text: 'x' }))
    mailer.close()
  })
})

describe('the mailbox', () => {
  let folder: string
  let mailbox: Mailbox
  let api: ApiServer
  before(async function () {
    this.timeout(60_000)
    folder = await mkdtemp(join(tmpdir(), 'mailbox-'))
    mailbox = fileMailbox(join(folder, 'deep', 'mailbox.jsonl'))
    api = await startApi({ mailbox, proxies: '127.0.0.1', identity: { PUBLIC_URL: 'http://127.0.0.1:3000' } })
  })
  after(async () => {
    await api.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const opened = `/mailbox?secret=${MAILBOX_SECRET}`
  const page = (headers: Record<string, string> = {}, target = opened) =>
    askRaw(api.address, 'GET', target, headers)

  it('holds unsent letters, newest first, in a file for its owner only', async () => {
    assert.deepEqual(await mailbox.list(), [])
    for (const subject of ['first', 'second'])
      await mailbox.send({
        to: 'jane@example.test',
        subject,
        text: 'https://trader.example.com/confirm#token=abc',
      })
    assert.deepEqual(
      (await mailbox.list()).map(({ subject }) => subject),
      ['second', 'first'],
    )
    assert.equal((await stat(join(folder, 'deep', 'mailbox.jsonl'))).mode & 0o777, 0o600)
  })

  it('the mailbox is shown with its links to the person at this machine', async () => {
    const { status, text, headers } = await page()
    assert.equal(status, 200)
    assert.match(text, /<a href="https:\/\/trader\.example\.com\/confirm#token=abc">/)
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    assert.equal(headers['referrer-policy'], 'no-referrer')
  })

  it('shows foreign input as text', async () => {
    await mailbox.send({ to: '"><script>alert(1)</script>', subject: '<b>', text: 'https://x"onclick="y' })
    const { text } = await page()
    assert.doesNotMatch(text, /<script|<b>|"onclick/)
  })

  for (const [name, headers] of Object.entries<Record<string, string>>({
    'comes through a proxy on this machine': { 'X-Forwarded-For': '203.0.113.9' },
    'a proxy has named the host of': { 'X-Forwarded-Host': 'trader.example.com' },
    'a proxy has named the address of': { 'X-Real-IP': '127.0.0.1' },
    'names a host that only points here': { Host: 'evil.example' },
    'came by another way': { Via: '1.1 somewhere' },
  })) {
    it(`the mailbox is not there for a request that ${name}`, async () =>
      assert.equal((await page(headers)).status, 404))
  }

  it('the mailbox is not there without its secret, or with another', async () => {
    const almost = MAILBOX_SECRET.slice(0, -1)
    for (const query of [
      '',
      '?secret=',
      `?secret=${almost}`,
      `?secret=${MAILBOX_SECRET}&secret=x`,
      `?Secret=${MAILBOX_SECRET}`,
      '?secret[]=x',
    ])
      assert.equal((await page({}, `/mailbox${query}`)).status, 404, query)
  })

  it('the mailbox is not shown through nginx as it passes requests on by default, which looks like this machine', async () => {
    const proxy = await plainProxy(api.address)
    for (const target of ['/mailbox', '/mailbox?secret=', '/Mailbox', '/mailbox/']) {
      const { status, text } = await askRaw(proxy.address, 'GET', target, { Host: 'trader.example.com' })
      assert.equal(status, 404, target)
      assert.doesNotMatch(text, /token=|<html/)
    }
    // The proxy does pass on: nothing but the secret tells its requests from those of the person here.
    assert.equal((await askRaw(proxy.address, 'GET', opened, { Host: 'trader.example.com' })).status, 200)
    proxy.stop()
  })

  it('the mailbox does not exist where the service is reached from other machines, for any visitor', async () => {
    const reached = await startApi({ mailbox, identity: { PUBLIC_URL: 'https://trader.example.com' } })
    assert.equal((await askRaw(reached.address, 'GET', opened)).status, 404)
    assert.ok(!reached.routes.includes('GET /mailbox'))
    await reached.stop()
  })

  it('the mailbox has a secret that is made once by the first process, and can be read by its owner alone', async () => {
    const file = join(folder, 'new', 'mailbox.jsonl')
    const made = await Promise.all(Array.from({ length: 8 }, () => readOrMakeMailboxSecret(file)))
    assert.equal(new Set([...made, await readOrMakeMailboxSecret(file)]).size, 1)
    assert.match(made[0]!, /^[\w-]{43}$/)
    assert.equal((await stat(mailboxSecretFile(file))).mode & 0o777, 0o600)
    assert.deepEqual(await readdir(join(folder, 'new')), ['mailbox.jsonl.secret'])
  })

  it('keeps its secret out of the log', async () => {
    await page()
    assert.doesNotMatch(JSON.stringify(api.log), new RegExp(MAILBOX_SECRET))
  })
})

/** Passes requests on as nginx's `proxy_pass` does by default: its own host, one request a connection, no trace. */
async function plainProxy(upstream: string): Promise<{ address: string; stop(): void }> {
  const server = createHttpServer((received, answer) => {
    const headers = { ...received.headers, host: new URL(upstream).host, connection: 'close' }
    const passed = request(
      new URL(upstream),
      { method: received.method, path: received.url, headers },
      (sent) => {
        answer.writeHead(sent.statusCode!, sent.headers)
        sent.pipe(answer)
      },
    )
    received.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
