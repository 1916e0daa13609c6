import { endRecordedProcesses } from './run-record.ts'

/**
 * Waits, in a session of its own, for the run that started it to end: its standard input closes then, even
 * when that run was killed. Whatever the run's record still names is stopped, last started first.
 */
const [recordFile] = process.argv.slice(2)
if (recordFile === undefined) throw new Error('usage: guardian.ts RECORD_FILE')

process.stdin.resume()
process.stdin.once('close', () => void endRecordedProcesses(recordFile))
