import { ManagedProcess, startGuardian } from '#local/processes/managed-process.ts'
import { RunRecord } from '#local/processes/run-record.ts'

/** A run with one child, for tests to kill: prints the child's number and waits. */
const [recordFile] = process.argv.slice(2)
const record = await RunRecord.claim(recordFile!)
startGuardian(record)
await ManagedProcess.start(
  {
    name: 'child',
    command: process.execPath,
    args: ['-e', 'setInterval(() => {}, 1000)'],
    logFile: `${recordFile}.log`,
    ready: async () => {},
    readyTimeoutMs: 0,
  },
  record,
)
const { processes } = JSON.parse((await import('node:fs')).readFileSync(record.file, 'utf8'))
console.log(processes[0].pid)
