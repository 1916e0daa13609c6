import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { untilRunFits } from '#test/chaos/timing.ts'
import type { Desk } from './desk.ts'
import { SECTIONS } from './sections/index.ts'
import type { Story } from './story.ts'
import { Theatre } from './theatre.ts'
import { toldAt, toldInTheEnd, unread, writeTold, type Told } from './told.ts'

/** `update` writes what was told into the golden file, `long` plays the times of the measured cases. */
const MODE = process.env['STORIES']
/** A part of the titles of those that are played; all by default. */
const ONLY = process.env['STORY'] ?? ''
/** No story lasts longer, in milliseconds. */
const LONGEST = MODE === 'long' ? 300_000 : 170_000
/** Stories begin so many milliseconds after each other: a small machine plays all of them side by side. */
const APART = 300

describe('what a broker does to a signal', function () {
  this.timeout(LONGEST)
  let theatre: Theatre
  const stories = Object.values(SECTIONS)
    .flat()
    .filter(({ title }) => title.includes(ONLY))
  const played = new Map<Story, Promise<void>>()
  const told: Told = new Map()

  before(async function () {
    this.timeout(LONGEST + 600_000)
    // Around midnight in New York today's session would end in the midst of a story.
    await sleep(untilRunFits(Date.now(), LONGEST))
    theatre = await Theatre.open()
    const desks: Desk[] = []
    for (const { prepare } of stories) desks.push(await theatre.desk(prepare))
    await Promise.all(desks.map((desk) => theatre.untilFollowed(desk)))
    for (const [index, story] of stories.entries()) {
      const desk = desks[index]!
      // The longest ones stand last, and begin first.
      const playing = sleep((stories.length - 1 - index) * APART)
        .then(() => story.play(desk, theatre))
        .catch(async (error: unknown) => {
          throw new Error(`It was told:\n${(await toldAt(desk, story)).join('\n')}`, { cause: error })
        })
        .then(async () => void told.set(story.title, await toldInTheEnd(desk, story)))
      // Whoever waits for it first may be busy with another.
      playing.catch(() => {})
      played.set(story, playing)
    }
  })

  for (const [section, parts] of Object.entries(SECTIONS))
    describe(section, () => {
      for (const story of parts.filter((each) => stories.includes(each)))
        it(story.title, () => played.get(story))
    })

  after(async function () {
    this.timeout(60_000)
    if (MODE === 'update') writeTold(SECTIONS, told)
    await theatre?.close()
  })

  describe('the owner is told of it in sentences of the golden file', () => {
    for (const { title } of stories)
      it(title, function () {
        // The story itself has failed.
        if (!told.has(title) || MODE === 'update') this.skip()
        assert.deepEqual(unread(told.get(title)!), [])
      })
  })
})
