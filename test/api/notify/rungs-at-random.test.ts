import assert from 'node:assert/strict'
import fc from 'fast-check'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '#db/engine/database.ts'
import { climbRungs, findReach, noteReached } from '#db/notify/reach.ts'
import { RUNGS } from '#domain/alert/channels.ts'
import { useDatabase } from '../../support/database.ts'
import { cases } from '../../support/generators.ts'
import { type Ending, NotifiedPerson, type PersonalKind } from '../support/notified-person.ts'

interface RandomChannel {
  kind: PersonalKind
  decides: boolean
  state: 'live' | 'deaf' | 'paused' | 'signed out'
  /** Of its attempts; the last one repeats. */
  endings: Ending[]
}

const randomChannel: fc.Arbitrary<RandomChannel> = fc.record({
  kind: fc.constantFrom<PersonalKind>('push', 'telegram', 'slack', 'email'),
  decides: fc.boolean(),
  state: fc.constantFrom('live', 'live', 'live', 'deaf', 'paused', 'signed out'),
  endings: fc.array(fc.constantFrom<Ending>('taken', 'failed', 'refused', 'gone'), {
    minLength: 1,
    maxLength: 4,
  }),
})

/** Longer than the patience with a rung; seconds. */
const STEP = 31
/** One for each rung, and one for the alert. */
const STEPS = RUNGS.length + 1

const rungOf = ({ kind }: RandomChannel): number => RUNGS.findIndex((kinds) => kinds.includes(kind))
const isRung = ({ kind, decides, state }: RandomChannel): boolean =>
  decides && state !== 'paused' && !(state === 'signed out' && kind === 'push')
const nameOf = (channel: RandomChannel, index: number): string => `${channel.kind}-${index}`

/** Names of the channels that are tried before any time has passed. */
function triedFirst(channels: RandomChannel[]): string[] {
  const rungs = channels.filter(isRung).map(rungOf)
  const hearing = channels.filter((each) => isRung(each) && each.state !== 'deaf').map(rungOf)
  let highest = Math.min(...hearing)
  if (hearing.length === 0) highest = Math.max(...rungs)
  for (;;) {
    const tried = channels.filter((each) => isRung(each) && rungOf(each) <= highest)
    const isOpen = tried.every(({ endings: [first] }) => first === 'refused' || first === 'gone')
    const next = Math.min(...rungs.filter((rung) => rung > highest))
    if (!isOpen || next === Infinity)
      return channels.flatMap((each, index) => (tried.includes(each) ? [nameOf(each, index)] : [])).toSorted()
    highest = next
  }
}

describe('rungs of random channels', function () {
  this.timeout(240_000)
  let database: Database
  useDatabase((opened) => void (database = opened))

  async function personWith(channels: RandomChannel[]): Promise<NotifiedPerson> {
    const person = await NotifiedPerson.create(database)
    for (const [index, channel] of channels.entries()) {
      const { kind, decides, state, endings } = channel
      const name = nameOf(channel, index)
      await person.add(kind, { name, urgencies: decides ? ['decision'] : [] })
      person.answers(name, (attempt) => endings[attempt - 1] ?? endings.at(-1)!)
      const set = {
        live: 'name = name',
        deaf: `refused_since = now() - interval '1 day', refusal = 'it answered 403'`,
        paused: `paused_at = now(), pause_reason = 'test'`,
        'signed out': 'name = name',
      }[state]
      await person.sql(`update channels set ${set} where name = ?`, [name])
      if (state === 'signed out')
        await person.sql(
          'update sessions set ended_at = now() where id = (select session_id from channels where name = ?)',
          [name],
        )
    }
    return person
  }

  it('a waiting signal ends as reached, or with one open alert, and no channel gets its notice twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(randomChannel, { maxLength: 5 }),
        fc.constantFrom(3_600, null),
        async (channels, life) => {
          const person = await personWith(channels)
          const { id } = await person.wait(life)
          const allowed = channels.flatMap((each, index) => (isRung(each) ? [nameOf(each, index)] : []))
          const first = await person.run()
          assert.deepEqual(first.toSorted(), triedFirst(channels))
          for (let step = 0; step < STEPS; step += 1) {
            await person.pass(STEP)
            for (const name of await person.run()) assert.ok(allowed.includes(name), name)
          }
          const reach = await findReach(database.em.fork(), id)
          const taken = (await person.log()).filter((entry) => entry.endsWith('waiting taken'))
          assert.equal(new Set(taken).size, taken.length, `taken twice: ${taken}`)
          if (allowed.length === 0) assert.deepEqual([reach, await person.unreached()], [null, []])
          else if (taken.length > 0) {
            assert.equal(reach!.reached, taken.length)
            assert.ok(!(await person.unreached()).includes('open'))
          } else assert.deepEqual([reach!.reached, await person.unreached()], [0, ['open']])
        },
      ),
      { numRuns: cases(1_000, 80) },
    )
  })

  describe('while the alert of an unreached signal is raised', () => {
    /** Climbs in a transaction that stays open until the work waits for it. */
    async function climbDuring(person: NotifiedPerson, work: () => Promise<unknown>): Promise<void> {
      let working: Promise<unknown> = Promise.resolve()
      await database.em.fork().transactional(async (em) => {
        assert.equal(await climbRungs(em, 0), 1)
        working = work()
        await untilLocked(person)
      })
      await working
    }

    async function untilLocked(person: NotifiedPerson): Promise<void> {
      for (;;) {
        const waiting = await person.sql(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        if (waiting.length > 0) return
        await pause(5)
      }
    }

    const unreachedPerson = () =>
      personWith([{ kind: 'email', decides: true, state: 'live', endings: ['failed'] }])

    it('a delivery at the same moment ends the alert', async () => {
      const person = await unreachedPerson()
      const { id } = await person.wait()
      await climbDuring(person, () => noteReached(database.em.fork(), id))
      assert.deepEqual(await person.unreached(), ['over'])
      assert.deepEqual(await findReach(database.em.fork(), id), {
        devices: 1,
        reached: 1,
        unreachedSince: null,
      })
    })

    it('a decision at the same moment ends the alert', async () => {
      const person = await unreachedPerson()
      const { id } = await person.wait()
      await climbDuring(person, () =>
        person.sql(`update signals set status = 'rejected', status_reason = 'DECLINED' where id = ?`, [id]),
      )
      assert.deepEqual(await person.unreached(), ['over'])
    })
  })
})
