import { setTimeout as sleep } from 'node:timers/promises'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Desk } from './desk.ts'
import type { Story } from './story.ts'

/** What people were told in each story, by its title: sentences, oldest first. */
export type Told = Map<string, string[]>

const FILE = join(import.meta.dirname, 'told.md')
const HEAD = `# What people are told when a broker is odd

Written by \`npm test -- stories-told\`, compared by \`test/stories/stories.test.ts\`. Instants, ids and addresses are replaced. A
sentence with a question mark in front depends on the moment. To write the file anew, remove it before; each
further run adds the sentences that it has heard.

- **answer**: the answer to a signal or a request, where it is a refusal or an advisory
- **timeline**: of a signal
- **alert**: of the account, with its kind, whether it has ended or not
`
const SURE = '- '
/** What is told when a machine is too slow, whatever the broker does. */
const SLOWNESS =
  /\(Activity timed out\)|\(there was no answer in time\)|has not come to it|its workflow has not been started/

/** The last sentences of a story come a moment after its end, in milliseconds. */
const STILL_FOR = 3_000
const STILL_WITHIN = 15_000

/** What the owner of an account was told, once nothing more is told. */
export async function toldInTheEnd(desk: Desk, story: Story): Promise<string[]> {
  const deadline = performance.now() + STILL_WITHIN
  for (let told = await toldAt(desk, story); ;) {
    await sleep(STILL_FOR)
    const now = await toldAt(desk, story)
    if (now.length === told.length || performance.now() > deadline) return now
    told = now
  }
}

/** Everything that the owner of an account was told, in the words of a golden file. */
export async function toldAt(desk: Desk, { varies }: Story): Promise<string[]> {
  const timelines = await Promise.all(
    [...new Set(desk.signalIds)].map(async (id, index, all) => {
      const name = all.length === 1 ? 'timeline' : `timeline ${index + 1}`
      return (await desk.timeline(id)).map((message) => `**${name}**: ${message}`)
    }),
  )
  const alerts = (await desk.alerts('all')).map(({ kind, message }) => `**alert** ${kind}: ${message}`)
  const answers = desk.answered.map((sentence) => `**answer**: ${sentence}`)
  const sentences = [...answers, ...timelines.flat(), ...alerts].map(inGoldenWords)
  return [...new Set(sentences)].filter(
    (sentence) => !SLOWNESS.test(sentence) && varies?.test(sentence) !== true,
  )
}

/** A sentence without what is another each time. */
const inGoldenWords = (sentence: string): string =>
  sentence
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, '<instant>')
    .replaceAll(/\d{4}-\d\d-\d\d/g, '<date>')
    .replaceAll(/<id>@example\.test/g, '<owner>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<address>')
    .replaceAll(/PA[0-9A-F]{10}/g, '<account>')
    .replaceAll(/\d+ (times|s)\b/g, '<n> $1')
    .replaceAll(/\s+/g, ' ')

/** Sentences of the golden file by story; those that may be missing begin with a question mark. */
export function readTold(): Told {
  if (!existsSync(FILE)) return new Map()
  const [, ...stories] = readFileSync(FILE, 'utf8').split('\n### ')
  return new Map(
    stories.map((text) => {
      const [title, ...lines] = text.split('\n')
      const sentences = lines.filter((line) => line.startsWith(SURE)).map((line) => line.slice(SURE.length))
      return [title!, sentences] as const
    }),
  )
}

/**
 * The sentences that nobody has read: those of no form that the golden file has. Which of its sentences a story tells depends on
 * the moment, as whether the answer to a request told it already; what it has to tell, the story asserts.
 */
export function unread(told: readonly string[]): string[] {
  const forms = new Set([...readTold().values()].flat().map(formOf))
  return told.filter((sentence) => !forms.has(formOf(sentence)))
}

/** A sentence without its place, its symbols, its figures, and the words that brokers said. */
const formOf = (sentence: string): string =>
  sentence
    .replace(/^(\? )?\*\*[^*]+\*\*:? /, '')
    .replaceAll(/\([^()]*(\([^()]*\)[^()]*)*\)/g, '()')
    .replaceAll(/\b[A-Z][A-Z/.]+\b/g, 'A')
    .replaceAll(/[\d.,$]*\d/g, '0')

/** Writes the golden file: sentences that are not told each time become such that may be missing. */
export function writeTold(sections: Record<string, readonly Story[]>, told: Told): void {
  const before = readTold()
  const parts = Object.entries(sections).flatMap(([section, stories]) => [
    `\n## ${section}\n`,
    ...stories.flatMap(({ title }) => {
      const sentences = merged(before.get(title), told.get(title))
      return sentences.length === 0
        ? []
        : [`\n### ${title}\n\n`, ...sentences.map((each) => `${SURE}${each}\n`)]
    }),
  ])
  writeFileSync(FILE, HEAD + parts.join(''))
}

function merged(
  before: readonly string[] | undefined,
  now: readonly string[] | undefined,
): readonly string[] {
  if (!now) return before ?? []
  if (!before) return now
  const known = before.map((sentence) => sentence.replace(/^\? /, ''))
  const kept = known.map((sentence, index) =>
    now.includes(sentence) && !isOptional(before[index]!) ? sentence : `? ${sentence}`,
  )
  return [...kept, ...now.filter((sentence) => !known.includes(sentence)).map((sentence) => `? ${sentence}`)]
}

const isOptional = (sentence: string): boolean => sentence.startsWith('? ')
