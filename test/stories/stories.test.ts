import { setTimeout as sleep } from 'node:timers/promises'
import { untilRunFits } from '#test/chaos/timing.ts'
import type { Desk } from './desk.ts'
import { SECTIONS } from './sections/index.ts'
import type { Story } from './story.ts'
import { Theatre } from './theatre.ts'

/** A part of the titles of those that are played; all by default. */
const ONLY = process.env['STORY'] ?? ''
/** No story lasts longer, in milliseconds. */
const LONGEST = process.env['STORIES'] === 'long' ? 300_000 : 170_000
/** Stories begin so many milliseconds after each other: a small machine plays all of them side by side. */
const APART = 300

describe('what a broker does to a signal', function () {
  this.timeout(LONGEST)
  let theatre: Theatre
  const stories = Object.values(SECTIONS)
    .flat()
    .filter(({ title }) => title.includes(ONLY))
  const played = new Map<Story, Promise<void>>()

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
          throw new Error(`It was told:\n${await notifiedAt(desk)}`, { cause: error })
        })
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
    await theatre?.close()
  })
})

/** What its owner was told, for a story that has failed. */
async function notifiedAt(desk: Desk): Promise<string> {
  const timelines = await Promise.all(desk.signalIds.map((id) => desk.timeline(id)))
  const alerts = (await desk.alerts('all')).map(({ kind, message }) => `${kind}: ${message}`)
  return [...timelines.flat(), ...alerts].join('\n')
}
