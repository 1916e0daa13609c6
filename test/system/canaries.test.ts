import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { mintAccessToken } from '#api/http/access-token.ts'
import { totpCodeAt } from '#test/api/support/totp-code.ts'
import type { DemoCredentials } from '#local/start/demo.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow, shown } from '#test/service/sent-signal.ts'

/** Payloads that Temporal's SDK writes itself and that hold nothing of a signal. */
const WRITTEN_BY_THE_SDK = /\.(searchAttributes\.indexedFields\.\w+|details\.data\.payloads\.\d+)$/

describe('planted secrets', function () {
  this.timeout(90_000)
  const service = useStack({})
  const canaries: Record<string, string> = {}
  const errorBodies: string[] = []

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  async function call(method: string, path: string, body?: object, token?: string): Promise<any> {
    const response = await fetch(`${service.stack.addresses.api}/api/v1${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) errorBodies.push(text)
    return JSON.parse(text)
  }

  before(async function () {
    const { stack } = service
    const file = join(dirname(stack.logFolder), `${stack.venueKeys.keyId}.json`)
    const { email, password, token, venueSecretKey, venueControlSecret } = JSON.parse(
      readFileSync(file, 'utf8'),
    ) as DemoCredentials
    Object.assign(canaries, { password, 'access token': token, 'broker secret': venueSecretKey })
    canaries['control secret of the venue'] = venueControlSecret

    const { data: session } = await call('POST', '/auth/login', { email, password })
    canaries['access JWT'] = session.accessToken.split('.')[2]
    canaries['refresh token'] = session.refreshToken
    await call('POST', '/auth/login', { email, password: (canaries['wrong password'] = 'wrong Canary 7781') })
    await call('POST', '/auth/login', { email, passwort: password })
    await call('GET', `/signals/${token}`, undefined, token)

    const { data: setup } = await call('POST', '/auth/mfa/setup', {}, session.accessToken)
    canaries['authenticator seed'] = setup.secret
    const code = totpCodeAt(setup.secret, Date.now())
    const { data: factor } = await call('POST', '/auth/mfa/verify', { code }, session.accessToken)
    for (const [index, text] of factor.backupCodes.entries()) canaries[`backup code ${index}`] = text
    const { data: pending } = await call('POST', '/auth/login', { email, password })
    canaries['pending sign-in'] = pending.mfaToken
    await call('POST', '/auth/mfa/verify', { mfaToken: pending.mfaToken, code: factor.backupCodes[0] })

    const key = mintAccessToken('dtk')
    canaries['key in the query'] = key.token
    await stack.query(
      `insert into access_tokens (id, user_id, kind, label, hash, prefix, scopes)
       select gen_random_uuid(), id, 'legacy', 'old', '${key.hash}', '${key.prefix}', '{signals:write}' from users`,
    )
    const sent = await call('POST', `/signals?apiKey=${key.token}`, buyNow(stack, { symbol: 'ZTCANARY' }))
    assert.equal(sent.success, true, JSON.stringify(sent))
    await call('POST', `/signals?apiKey=${key.token}`, { accountId: key.token })
    await call('GET', `/signals?apiKey=${key.token}`)
    await eventually(async () => assert.equal((await shown(stack, sent.signal.id)).status, 'executed'))
    // Keys of brokers that people enter: right ones, wrong ones, and ones in the wrong place.
    const keys = { keyId: 'CANARY-KEY-6631', secretKey: 'canary-of-a-new-connection-2209' }
    Object.assign(canaries, { 'new broker key': keys.keyId, 'new broker secret': keys.secretKey })
    await stack.venue.openAccount(keys, 1_000)
    const wrong = { keyId: keys.keyId, secretKey: (canaries['wrong broker secret'] = 'canary-wrong-5518') }
    await call('POST', '/brokers', { brokerType: 'paper', credentials: wrong }, token)
    await call('POST', '/brokers', { brokerType: 'paper', credentials: { ...keys, more: 'x' } }, token)
    const { data } = await call('POST', '/brokers', { brokerType: 'paper', credentials: keys }, token)
    const [account] = data.broker.accounts
    assert.equal((await call('POST', `/accounts/${account.id}/sync`, {}, token)).success, true)

    // An order that ends badly, for failures and their words.
    await call('POST', '/signals', buyNow(stack, { symbol: 'AAPL', quantity: 900_000_000 }), token)
  })

  function assertNone(where: string, text: string): void {
    assert.ok(text.length > 0, `${where} can be read`)
    for (const [name, secret] of Object.entries(canaries))
      assert.ok(!text.includes(secret), `${name} is in ${where}`)
  }

  it('planted secrets are in no log', () => {
    const folder = service.stack.logFolder
    const files = readdirSync(folder)
    assert.ok(files.includes('api.log') && files.includes('worker.log'))
    for (const file of files) {
      const text = readFileSync(join(folder, file), 'utf8')
      if (text !== '') assertNone(file, text)
    }
  })

  it('planted secrets are in no answer that refuses', () => {
    assert.ok(errorBodies.length >= 6)
    assertNone('error bodies', errorBodies.join('\n'))
  })

  it('planted secrets are in no row of the database', async () => {
    const { stack } = service
    const tables = await stack.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    )
    let dump = ''
    for (const { name } of tables) {
      const rows = await stack.query<{ row: string }>(`select row_to_json(t)::text as row from ${name} t`)
      dump += rows.map(({ row }) => row).join('\n')
    }
    assertNone('the database', dump)
  })

  it('planted secrets are not in Temporal, whose files hold no order either', async () => {
    const folder = join(dirname(service.stack.logFolder), 'temporal')
    for (const file of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, file)).toString('latin1')
      assertNone(`Temporal's ${file}`, bytes)
      assert.ok(!bytes.includes('"timeInForce"'), file)
      assert.ok(!bytes.includes('brokerOrderId'), file)
    }
  })

  it('planted secrets would not be in any history: every payload of every workflow is encrypted', async () => {
    const { address } = { address: service.stack.addresses.temporal }
    const connection = await Connection.connect({ address })
    try {
      const client = new Client({ connection, namespace: 'default' })
      let payloads = 0
      for await (const { workflowId } of client.workflow.list()) {
        const history = await client.workflow.getHandle(workflowId).fetchHistory()
        for (const [path, encoding] of encodings(history, '')) {
          if (WRITTEN_BY_THE_SDK.test(path)) continue
          payloads += 1
          assert.equal(encoding, 'binary/encrypted', `${workflowId}${path}`)
        }
        for (const failure of find(history, 'failure', ''))
          assert.ok([undefined, 'Encoded failure'].includes(failure.value.message), failure.path)
      }
      assert.ok(payloads > 10, `${payloads} payloads were looked at`)
    } finally {
      await connection.close()
    }
  })
})

/** The encoding of every payload in a history, with its path. */
function* encodings(node: unknown, path: string): Generator<[path: string, encoding: string]> {
  if (typeof node !== 'object' || node === null || node instanceof Uint8Array) return
  const { metadata } = node as { metadata?: Record<string, Uint8Array> }
  if (metadata?.['encoding']) yield [path, Buffer.from(metadata['encoding']).toString()]
  else for (const [name, inner] of Object.entries(node)) yield* encodings(inner, `${path}.${name}`)
}

/** Every object under a name, with its path. */
function* find(
  node: unknown,
  wanted: string,
  path: string,
): Generator<{ path: string; value: { message?: string } }> {
  if (typeof node !== 'object' || node === null || node instanceof Uint8Array) return
  for (const [name, inner] of Object.entries(node)) {
    if (name === wanted && typeof inner === 'object' && inner !== null)
      yield { path: `${path}.${name}`, value: inner as object }
    yield* find(inner, wanted, `${path}.${name}`)
  }
}
