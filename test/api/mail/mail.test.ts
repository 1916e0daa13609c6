import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileMailbox, type Mailbox } from '#api/mail/mailbox.ts'
import { smtpMailer } from '#api/mail/smtp.ts'
import { startApi, type ApiServer } from '../support/api-server.ts'

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

  it('is handed to the server, to one recipient whatever the address looks like', async () => {
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
    api = await startApi({ mailbox, proxies: '127.0.0.1' })
  })
  after(async () => {
    await api.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** fetch sets the host itself. */
  const page = (headers: Record<string, string> = {}) =>
    new Promise<{ status: number; text: string; csp: string }>((resolve, reject) => {
      const { port } = new URL(api.address)
      request({ host: '127.0.0.1', port, path: '/mailbox', headers }, (response) => {
        let text = ''
        response.on('data', (bytes: Buffer) => (text += bytes.toString()))
        const csp = String(response.headers['content-security-policy'])
        response.on('end', () => resolve({ status: response.statusCode!, text, csp }))
      })
        .on('error', reject)
        .end()
    })

  it('holds what would have been sent, newest first, in a file for its owner only', async () => {
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

  it('is shown with its links to the person at this machine', async () => {
    const { status, text, csp } = await page()
    assert.equal(status, 200)
    assert.match(text, /<a href="https:\/\/trader\.example\.com\/confirm#token=abc">/)
    assert.match(csp, /default-src 'none'/)
  })

  it('shows what others have written as text', async () => {
    await mailbox.send({ to: '"><script>alert(1)</script>', subject: '<b>', text: 'https://x"onclick="y' })
    const { text } = await page()
    assert.doesNotMatch(text, /<script|<b>|"onclick/)
  })

  for (const [name, headers] of Object.entries<Record<string, string>>({
    'comes through a proxy on this machine': { 'X-Forwarded-For': '203.0.113.9' },
    'names a host that only points here': { Host: 'evil.example' },
    'came by another way': { Via: '1.1 somewhere' },
  })) {
    it(`is not there for a request that ${name}`, async () => assert.equal((await page(headers)).status, 404))
  }
})
