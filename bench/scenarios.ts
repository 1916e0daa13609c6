import { apiReportOf, apiReportText, type ApiBenchReport } from './api/report.ts'
import { runApiBench, type ApiBenchOptions } from './api/run.ts'
import { burstText } from './burst/report.ts'
import { runBurst, type Burst, type BurstOptions } from './burst/run.ts'
import { clusterText } from './cluster/report.ts'
import { runClusterBench } from './cluster/run.ts'
import { fanOutText } from './fan-out/report.ts'
import { runFanOutBench, type FanOutBenchOptions, type FanOutFigures } from './fan-out/run.ts'
import { besideText } from './flood/beside-report.ts'
import { FLOODERS, runBeside, type BesideFloods, type BesideOptions } from './flood/beside.ts'
import { floodText } from './flood/report.ts'
import { runFlood, type Flood, type FloodOptions } from './flood/run.ts'
import { massesText } from './masses/report.ts'
import { runMasses, type Masses, type MassesOptions } from './masses/run.ts'
import { publish, type PublishOptions } from './publish/publish.ts'
import { reportOf, reportText } from './report.ts'
import type { BenchOptions } from './rounds.ts'
import { runBench } from './run.ts'
import type { Scenario } from './scenario.ts'
import { stopsText } from './stops/report.ts'
import { runStopsBench, type StopsBenchOptions, type StopsFigures } from './stops/run.ts'
import { tracesText } from './traces/report.ts'
import { runTracesBench } from './traces/run.ts'

const SIGNALS = { says: 'signals one at a time, and as many again at once', default: 300 }
const CONCURRENCY = { says: 'how many are under way at once in the second half', default: 20 }
const WARM_UP = {
  says: 'calls of each before anything is measured: Node goes on compiling for about as many',
  default: 2_000,
}

const scenario = <Options, Figures>(of: Scenario<Options, Figures>): Scenario => of

/** What `npm run bench -- NAME` measures. */
export const SCENARIOS = {
  floor: scenario({
    about: `Measures the whole service, each part a process of its own, against a floor in the same run: the smallest Temporal
workflow that runs one local activity and answers by update-with-start on the same server. Beside them stands a bare
Koa handler that writes one row. The three take turns, so that whatever else the machine does meets all of them.
docs/performance.md says what the figures mean.`,
    options: { signals: SIGNALS, concurrency: CONCURRENCY, warmUp: WARM_UP },
    run: async (options: BenchOptions, tell) => reportOf(await runBench(options, tell)),
    text: reportText,
  }),
  cluster: scenario({
    about: `Measures the processes of npm test -- cluster beside those of npm start: rate, latency and CPU of both, and what a signal
with its exit costs on the cluster. Some twenty processes more share the machine, and every answer but the best ends
a measurement.`,
    options: { signals: SIGNALS, concurrency: { ...CONCURRENCY, default: 8 }, warmUp: WARM_UP },
    run: runClusterBench,
    text: clusterText,
  }),
  traces: scenario({
    about: 'Measures the service with the trace of every signal exported beside one that exports none.',
    options: { signals: SIGNALS, concurrency: CONCURRENCY, warmUp: WARM_UP },
    run: runTracesBench,
    text: tracesText,
  }),
  report: scenario<PublishOptions, string>({
    about: `Runs the benchmark (npm run bench) several times and writes a report: Markdown, charts as SVG, and the figures as JSON.
Takes two to three minutes a run. The report says what machine it was, and how busy.`,
    options: {
      runs: { says: 'how often the benchmark runs', default: 3 },
      signals: SIGNALS,
      concurrency: CONCURRENCY,
      warmUp: WARM_UP,
      to: { says: 'the folder of the report', default: 'docs/benchmark' },
    },
    run: publish,
    text: (file) => `The report is in ${file}.`,
  }),
  api: scenario<ApiBenchOptions, ApiBenchReport>({
    about: `Fills the ledger of several users, asks the API for its lists, and PostgreSQL for the rows of the same answers by bare
SQL; the two take turns, one call at a time. Both have to find the same rows. docs/performance.md says what the figures
mean.`,
    options: {
      rows: { says: 'orders, and as many signals', default: 1_000_000 },
      calls: { says: 'requests for each list, and as many bare statements', default: 200 },
    },
    run: async (options, tell) => apiReportOf(options, await runApiBench(options, tell)),
    text: apiReportText,
  }),
  burst: scenario<BurstOptions, Burst>({
    about: `Has many scheduled signals become due in the same second, and a few exits meanwhile: when does the first order leave, at
which rate do the others follow, and how late are the exits? Of the burst itself a third has an exit at once, and a third one
that is waited for. Beside the rate stands that of the smallest workflow on the same Temporal server. Takes two to three minutes.`,
    options: {
      signals: { says: 'scheduled signals that are due in the same second', default: 1_000 },
      exits: {
        says: 'exits that are due while their entries go out; without any, it takes a minute less',
        default: 10,
        least: 0,
      },
    },
    run: runBurst,
    text: burstText,
  }),
  'fan-out': scenario<FanOutBenchOptions, FanOutFigures>({
    about: `Sends signals for one account and for several in turn, one request at a time: how soon does the first order leave, and how soon the
last one?`,
    options: {
      accounts: { says: 'accounts of a signal for several, at most 20', default: 20, most: 20 },
      signals: { says: 'signals of each kind', default: 40 },
    },
    run: runFanOutBench,
    text: fanOutText,
  }),
  stops: scenario<StopsBenchOptions, StopsFigures>({
    about: `Sends entries in turn that leave at once, that have a stop, and that have a stop and a target: how soon after the fill does the exit
lie at the broker?`,
    options: { signals: { says: 'signals of each kind', default: 40 } },
    run: runStopsBench,
    text: stopsText,
  }),
  masses: scenario<MassesOptions, Masses>({
    about: `Has many signals wait for their time, each in the ledger and with a workflow in Temporal, posted as any other: what does a
signal that is sent at once take beside them, how much memory do the workers take, and how soon does a worker work that is
killed in the midst? Takes a minute for each four thousand or so, and a minute besides.`,
    options: {
      waiting: { says: 'signals that wait', default: 2_000 },
      signals: { says: 'signals that are sent at once, one after another, before and after', default: 100 },
    },
    run: runMasses,
    text: massesText,
  }),
  flood: scenario<FloodOptions, Flood>({
    about: `Has more and more callers send signals as fast as they are answered, with the limits of requests and of orders off: how many are
accepted and executed, how fast, how late their orders leave, and how the others are refused. Ratios are to the rate with 10
callers of the same run.`,
    options: {
      callers: { says: 'how many at once, in one step after the other', default: '5,10,20,40,80,160' },
      seconds: { says: 'length of each step', default: 10 },
      tokens: { says: 'access tokens that the callers share', default: 1, most: 9 },
      patient: {
        says: 'a caller that was refused waits as long as Retry-After says, instead of sending the next signal at once',
        default: false,
      },
    },
    run: runFlood,
    text: floodText,
  }),
  beside: scenario<BesideOptions, BesideFloods>({
    about: `Has somebody flood the service with all limits on, and measures another person beside it, who sends a signal, and sets and
lifts a halt, every second: how late they are answered, against the same person without any flood; what the flood takes of memory and disk;
and how soon after its end the other person is answered as before. The flood comes from a process of its own on this machine.
A stranger sends queries of 7,800 pairs, addresses of 15 kB without a route, invented tokens, 250 a second of each, and answers
that are not read, 10 a second; ten-tokens are those of one person. Each token sends valid signals of 63 kB, for half of
the time as many as it may, then ten times as many. hook and eighteen-hooks are those of one person, each sent the 600 messages a
minute that it may have at most, of 58 kB and 5,600 fields.`,
    options: {
      by: { says: `${FLOODERS.join(',')}, or all`, default: 'all' },
      // The proof with which the other person lifts a halt is good for five minutes.
      seconds: { says: 'length of each flood, at most 240', default: 60, most: 240 },
    },
    run: runBeside,
    text: besideText,
  }),
} as const
