import { globSync } from 'node:fs'

export const EVERY_TEST = 'test/**/*.test.ts'

/** A part of the tests with a name, by which `npm test -- NAME` runs it. */
export interface Selection {
  /** Files and folders that the whole `npm test` leaves out: they take minutes, or want programs that are built first. */
  readonly apart?: readonly string[]
  /** Files of the whole run that belong to the part too. */
  readonly shared?: readonly string[]
  /** How long the files play, in their own words. */
  readonly environment?: Readonly<Record<string, string>>
  /** What is run in place of mocha, with the options that follow the name. */
  readonly main?: string
}

/** The one list of files that are not simply part of `npm test`. */
export const SELECTIONS: Readonly<Record<string, Selection>> = {
  // Processes that are killed, cut off and replaced, each file on a whole service, many on one of its own; and what waits for a clock.
  processes: {
    apart: [
      'test/api/corpus/',
      'test/api/http/floods.test.ts',
      'test/api/http/held-connections.test.ts',
      'test/api/http/silent-connections.test.ts',
      'test/api/http/unread-answers.test.ts',
      'test/db/watch/log-archive.test.ts',
      'test/deploy/alert-rules.test.ts',
      'test/deploy/point-in-time.test.ts',
      'test/worker/feed/refused-requests.test.ts',
      'test/system/',
      'test/races/',
      'test/stories/',
      'test/tradingview/tradingview.test.ts',
      'test/tradingview/side-by-side.test.ts',
      'test/bench/bench.test.ts',
      'test/deploy/dashboard.test.ts',
      'test/local/readme.test.ts',
    ],
  },
  // A browser on the whole service.
  web: { apart: ['test/web/pages/'] },
  // Every page at five widths and in both themes, five minutes: WCAG, cut cells, and what moves while a list is read.
  layout: { apart: ['test/web/layout/'] },
  pictures: {
    apart: [
      'test/web/pictures/approvals.ts',
      'test/web/pictures/trading.ts',
      'test/web/pictures/setting-up.ts',
    ],
  },
  // Waiting until outages are noticed, disks that fill up, wrong clocks, an update, clusters, floods, planted bugs.
  faults: {
    apart: [
      'test/faults/calls-that-fail.ts',
      'test/faults/standing-still.ts',
      'test/faults/',
      'test/planted-bugs/',
    ],
    shared: [
      'test/system/failpoints.test.ts',
      'test/system/broker-faults.test.ts',
      'test/system/outages.test.ts',
      'test/system/kill-switch.test.ts',
      'test/venue/faults.test.ts',
    ],
  },
  // Helm is built first, minutes.
  chart: { apart: ['test/deploy/chart.test.ts', 'test/support/go-checksums.test.ts'] },
  rules: { shared: ['test/deploy/alert-rules.test.ts', 'test/deploy/dashboard.test.ts'] },
  stories: { shared: ['test/stories/stories.test.ts'], environment: { STORIES: 'long' } },
  tradingview: { shared: ['test/tradingview/tradingview.test.ts'], environment: { TRADINGVIEW: 'long' } },
  targets: { shared: ['test/system/target-position.test.ts'], environment: { TARGET_ROUNDS: '20' } },
  'order-of-signals': {
    shared: ['test/system/order-of-signals.test.ts'],
    environment: { ORDER_OF_SIGNALS: 'long' },
  },
  // Every case of generators that the whole run plays in part.
  generators: {
    shared: [
      'test/domain/*/*.test.ts',
      'test/activities/submit-order.test.ts',
      'test/api/http/hostile-values.test.ts',
      'test/api/signal/dry-run-agrees.test.ts',
      'test/bench/bench.test.ts',
      'test/venue/order-groups.test.ts',
    ],
    environment: { GENERATORS: 'long' },
  },
  races: { shared: ['test/races/one-order.test.ts'], environment: { RACES: 'all' } },
  lives: { main: 'test/lives/run.ts' },
  mutants: { main: 'test/mutants/run.ts' },
  fuzz: { main: 'test/fuzz/run.ts' },
  'alpaca-py': { main: 'test/venue/alpaca-py/run.ts' },
  tools: { main: 'test/runner/tools.ts' },
}

/** The long forms of `npm run ci`: how they are called behind `npm test --`, and the minutes after which they are cut off. */
export const LONG_FORMS: readonly { name: string; minutes: number; options?: readonly string[] }[] = [
  { name: 'processes', minutes: 35 },
  { name: 'web', minutes: 25 },
  { name: 'lives', minutes: 10, options: ['60', '46'] },
  { name: 'alpaca-py', minutes: 5 },
  { name: 'fuzz', minutes: 10, options: ['300'] },
]

/** Paths of the files that the whole run leaves out. */
export const runApart = (): string[] => Object.values(SELECTIONS).flatMap(({ apart = [] }) => apart)

/** Every file that `npm test` runs. */
export function filesOfWholeRun(): string[] {
  const apart = runApart()
  return globSync(EVERY_TEST)
    .filter((file) => !apart.some((path) => file.startsWith(path)))
    .toSorted()
}
