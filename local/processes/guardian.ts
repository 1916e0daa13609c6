import { endRecordedProcesses } from './run-record.ts'

/** Stops the recorded processes of an ended run, last started first. */
const [recordFile] = process.argv.slice(2)
if (recordFile === undefined) throw new Error('usage: guardian.ts RECORD_FILE')
await endRecordedProcesses(recordFile)
