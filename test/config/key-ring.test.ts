import assert from 'node:assert/strict'
import { unwatchFile } from 'node:fs'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SettingsError } from '#config/env.ts'
import { announceKey, keysFor, openKeyRing, readKeyRing, takeKeyIntoUse } from '#config/key-ring.ts'
import { eventually } from '#test/support/eventually.ts'

describe('the key ring', () => {
  let folder: string
  let path: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'key-ring-'))
    path = join(folder, 'new', 'keys.json')
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('the key ring is made where there is none, readable by its owner only, and read again the same', async () => {
    const made = await readKeyRing(path, true)
    assert.deepEqual(await readKeyRing(path, false), made)
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.deepEqual(await readdir(join(folder, 'new')), ['keys.json'])
  })

  it('the key ring is one and the same for processes that make it at once', async () => {
    const rings = await Promise.all(Array.from({ length: 20 }, () => readKeyRing(path, true)))
    assert.equal(new Set(rings.map(({ current }) => current)).size, 1)
  })

  it('the key ring is not made where it must be given', async () => {
    await assert.rejects(readKeyRing(path, false), SettingsError)
  })

  it('learns of a new key before it is used, once, and keeps the older ones', async () => {
    const before = await readKeyRing(path, true)
    const added = await announceKey(path)
    assert.equal(await announceKey(path), added)
    assert.equal((await readKeyRing(path, false)).current, before.current)
    await takeKeyIntoUse(path, added)
    const after = await readKeyRing(path, false)
    assert.equal(after.current, added)
    assert.deepEqual([...after.keys.keys()], [before.current, added])
    assert.deepEqual(after.keys.get(before.current), before.keys.get(before.current))
    assert.equal((await stat(path)).mode & 0o777, 0o600)
  })

  it('knows since when a key is no longer current; one that is announced is not retired', async () => {
    const { current: first, retiredAt } = await readKeyRing(path, true)
    assert.deepEqual(retiredAt, new Map())
    const added = await announceKey(path)
    assert.deepEqual((await readKeyRing(path, false)).retiredAt, new Map())
    const from = Date.now()
    await takeKeyIntoUse(path, added)
    const after = await readKeyRing(path, false)
    assert.deepEqual([...after.retiredAt.keys()], [first])
    const at = after.retiredAt.get(first)!.getTime()
    assert.ok(at >= from && at <= Date.now())
    await takeKeyIntoUse(path, added)
    assert.deepEqual(await readKeyRing(path, false), after, 'repeated, it changes nothing')
    assert.deepEqual(keysFor(after, 'access-jwt').retiredAt, after.retiredAt)
  })

  it('the key ring of an older file takes keys before the current one for retired since ever', async () => {
    const file = join(folder, 'keys.json')
    const bytes = Buffer.alloc(32, 7).toString('base64')
    await writeFile(file, JSON.stringify({ current: 'b', keys: { a: bytes, b: bytes, c: bytes } }))
    assert.deepEqual((await readKeyRing(file, false)).retiredAt, new Map([['a', new Date(0)]]))
  })

  it('the key ring that was taken back to an older key announces a new one next, not the retired', async () => {
    const { current: first } = await readKeyRing(path, true)
    const second = await announceKey(path)
    await takeKeyIntoUse(path, second)
    await takeKeyIntoUse(path, first)
    assert.deepEqual([...(await readKeyRing(path, false)).retiredAt.keys()], [second])
    assert.notEqual(await announceKey(path), second)
  })

  it('the key ring is followed by running processes, which keep their keys while the file cannot be used', async () => {
    await readKeyRing(path, true)
    const troubles: unknown[] = []
    const ring = await openKeyRing({ KEY_FILE: path }, (error) => troubles.push(error))
    const sealing = keysFor(ring, 'stored-secrets')
    const first = ring.current
    try {
      const added = await announceKey(path)
      await takeKeyIntoUse(path, added)
      await eventually(() => assert.equal(sealing.current, added), { within: 10_000 })
      assert.deepEqual([...sealing.keys.keys()], [first, added])
      await writeFile(path, 'half a')
      await eventually(() => assert.equal(troubles.length, 1), { within: 10_000 })
      assert.deepEqual([...sealing.keys.keys()], [first, added])
    } finally {
      unwatchFile(path)
    }
  })

  it('gives every purpose keys of its own, the same each time', async () => {
    const ring = await readKeyRing(path, true)
    const signing = keysFor(ring, 'access-jwt').keys.get(ring.current)!
    const sealing = keysFor(ring, 'stored-secrets').keys.get(ring.current)!
    assert.equal(signing.length, 32)
    assert.notDeepEqual(signing, sealing)
    assert.notDeepEqual(signing, ring.keys.get(ring.current))
    assert.deepEqual(keysFor(ring, 'access-jwt').keys.get(ring.current), signing)
  })

  const key = Buffer.alloc(32).toString('base64')
  const unusable: Record<string, string> = {
    'is no JSON': 'keys',
    'has no current key': JSON.stringify({ current: 'b', keys: { a: key } }),
    'has a current key of the prototype': JSON.stringify({ current: 'constructor', keys: { a: key } }),
    'has a current key that is retired': JSON.stringify({
      current: 'a',
      keys: { a: key },
      retiredAt: { a: '2026-03-02T15:00:00.000Z' },
    }),
    'has a short key': JSON.stringify({ current: 'a', keys: { a: key.slice(0, 20) } }),
    'has an odd key id': JSON.stringify({ current: 'a', keys: { a: key, 'b.c': key } }),
  }
  for (const [name, text] of Object.entries(unusable)) {
    it(`the key ring is refused, without showing keys, when it ${name}`, async () => {
      const file = join(folder, 'keys.json')
      await writeFile(file, text)
      await assert.rejects(
        readKeyRing(file, true),
        (error) => error instanceof SettingsError && !error.message.includes(key.slice(0, 10)),
      )
    })
  }
})
