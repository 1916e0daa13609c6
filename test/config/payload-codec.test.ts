import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { payloadCodec, PayloadUnreadable, type PayloadOwner } from '#config/payload-codec.ts'
import type { TemporalPayload } from '#config/payload-seal.ts'

const ring = (...ids: string[]) => ({
  current: ids[0]!,
  keys: new Map(ids.map((id) => [id, randomBytes(32)] as const)),
})
const json = (value: unknown): TemporalPayload => ({
  metadata: { encoding: Buffer.from('json/plain'), messageType: Buffer.from('x') },
  data: Buffer.from(JSON.stringify(value)),
})
/** Bytes of what stands before a sealed payload: the length of the id of its key, that id, and the owner. */
const headerLengthOf = ({ data }: TemporalPayload): number => 1 + data![0]! + 16
/** The first one, with what stands before the other. */
const underHeaderOf = (payload: TemporalPayload, other: TemporalPayload): TemporalPayload => ({
  ...payload,
  data: Buffer.concat([
    other.data!.subarray(0, headerLengthOf(other)),
    payload.data!.subarray(headerLengthOf(payload)),
  ]),
})
const plain = ({ metadata, data }: TemporalPayload) => [
  Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('hex')]),
  Buffer.from(data ?? []).toString('hex'),
]

describe('the payload codec', () => {
  const keys = ring('k1')
  const codec = payloadCodec(keys)

  it('gives every payload back as it was, and shows nothing of it meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ name: fc.string(), data: fc.uint8Array({ minLength: 12, maxLength: 300 }) })),
        async (wanted) => {
          const payloads = wanted.map(({ name, data }) => ({
            metadata: { encoding: Buffer.from('binary/plain'), name: Buffer.from(name) },
            data,
          }))
          const encoded = await codec.encode(payloads)
          for (const [index, { metadata, data }] of encoded.entries()) {
            assert.equal(Buffer.from(metadata!['encoding']!).toString(), 'binary/encrypted')
            assert.equal(Buffer.from(data!).includes(Buffer.from(wanted[index]!.data)), false)
          }
          assert.deepEqual((await codec.decode(encoded)).map(plain), payloads.map(plain))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('keeps payloads without data, and without metadata', async () => {
    for (const payload of [{}, { metadata: null, data: null }, { metadata: {} }])
      assert.deepEqual((await codec.decode(await codec.encode([payload]))).map(plain), [plain(payload)])
  })

  it('the payload codec never encrypts the same twice alike', async () => {
    const [one, two] = await codec.encode([json('same'), json('same')])
    assert.notDeepEqual(one!.data, two!.data)
  })

  it('opens payloads sealed by older keys, and seals with the newest', async () => {
    const [old] = await codec.encode([json('old')])
    const rotated = { current: 'k2', keys: new Map([...keys.keys, ['k2', randomBytes(32)]]) }
    assert.deepEqual((await payloadCodec(rotated).decode([old!])).map(plain), [plain(json('old'))])
    const [fresh] = await payloadCodec(rotated).encode([json('new')])
    await assert.rejects(codec.decode([fresh!]), PayloadUnreadable)
  })

  it('refuses a payload that is not encrypted, unless the settings accept it', async () => {
    await assert.rejects(codec.decode([json('forged')]), PayloadUnreadable)
    await assert.rejects(codec.decode([{}]), PayloadUnreadable)
    assert.deepEqual(await payloadCodec(keys, { acceptsPlain: true }).decode([json('before')]), [
      json('before'),
    ])
  })

  describe('with an owner', () => {
    const owner = { namespace: 'default', workflowId: 'signal-1' }
    const OTHERS: Record<string, PayloadOwner | undefined> = {
      'another workflow': { ...owner, workflowId: 'signal-2' },
      'another namespace': { ...owner, namespace: 'other' },
      'an activity of it': { ...owner, activityId: '1' },
      'no owner': undefined,
    }

    for (const [name, other] of Object.entries(OTHERS)) {
      it(`refuses to give them to ${name}`, async () => {
        await assert.rejects(
          codec.decode(await codec.encode([json('mine')], owner), other),
          PayloadUnreadable,
        )
        await assert.rejects(
          codec.decode(await codec.encode([json('mine')], other), owner),
          PayloadUnreadable,
        )
      })

      it(`refuses to give them to ${name} under a changed name`, async () => {
        const [mine] = await codec.encode([json('mine')], owner)
        const [theirs] = await codec.encode([json('theirs')], other)
        await assert.rejects(codec.decode([underHeaderOf(mine!, theirs!)], other), PayloadUnreadable)
      })
    }

    it('shows those of every owner to who only shows them, and none that were renamed', async () => {
      const viewer = payloadCodec(keys, { readsAnyOwner: true })
      const [mine] = await codec.encode([json('mine')], owner)
      assert.deepEqual((await viewer.decode([mine!])).map(plain), [plain(json('mine'))])
      const [theirs] = await codec.encode([json('theirs')])
      assert.deepEqual((await viewer.decode([theirs!])).map(plain), [plain(json('theirs'))])
      await assert.rejects(viewer.decode([underHeaderOf(mine!, theirs!)]), PayloadUnreadable)
    })
  })

  it('replaces an unreadable payload by a mark with the reason, and reads the rest', async () => {
    const marking = payloadCodec(keys, { unreadable: 'mark' })
    const [good] = await marking.encode([json('good')])
    const decoded = await marking.decode([json('forged'), good!])
    assert.deepEqual(
      decoded.map(({ data }) => JSON.parse(Buffer.from(data!).toString())),
      [{ unreadable: 'A payload in Temporal is not encrypted' }, 'good'],
    )
  })

  it('refuses a payload that was changed, cut off, or sealed with another key', async () => {
    const [sealed] = await codec.encode([json({ quantity: 10 })])
    const data = Buffer.from(sealed!.data!)
    for (let at = 0; at < data.length; at += 1) {
      const changed = Buffer.from(data)
      changed[at]! ^= 1
      await assert.rejects(codec.decode([{ ...sealed!, data: changed }]), PayloadUnreadable)
    }
    for (const length of [0, 1, 10, 20, 40])
      await assert.rejects(codec.decode([{ ...sealed!, data: data.subarray(0, length) }]), PayloadUnreadable)
    await assert.rejects(payloadCodec(ring('k1')).decode([sealed!]), PayloadUnreadable)
    const both = { current: 'k1', keys: new Map([...keys.keys, ['k0', keys.keys.get('k1')!]]) }
    const renamed = Buffer.from(data)
    renamed.write('k0', 1)
    await assert.rejects(payloadCodec(both).decode([{ ...sealed!, data: renamed }]), PayloadUnreadable)
  })
})
