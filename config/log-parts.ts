import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'

/** Bytes at which a log is set aside. */
export const PART_BYTES = 20 * 1024 * 1024
/** Earlier parts that are kept: `api.log.1` is the youngest. */
const EARLIER_PARTS = 3

const nameOf = (file: string, part: number): string => `${file}.${part}`

export function setAsideClosed(file: string): void {
  makeRoom(file)
  renameSync(file, nameOf(file, 1))
}

/**
 * Sets a log aside whose process keeps it open: copies the content and empties the file. No line of this process is
 * lost; a line that another process writes within microseconds before the emptying is. Throws when the copy cannot be
 * written, as on a full disk; the log is unchanged then.
 */
export async function setAsideOpen(file: string): Promise<void> {
  const copy = `${file}.copy`
  try {
    await copyFile(file, copy)
    const log = openSync(file, 'r+')
    const into = openSync(copy, 'a')
    try {
      let copied = fstatSync(into).size
      makeRoom(file)
      renameSync(copy, nameOf(file, 1))
      const rest = Buffer.alloc(64 * 1024)
      for (let length; (length = readSync(log, rest, 0, rest.length, copied)) > 0; copied += length)
        writeSync(into, rest, 0, length)
      ftruncateSync(log, 0)
    } finally {
      closeSync(log)
      closeSync(into)
    }
  } catch (error) {
    rmSync(copy, { force: true })
    throw error
  }
}

function makeRoom(file: string): void {
  for (let part = EARLIER_PARTS - 1; part >= 1; part--)
    if (existsSync(nameOf(file, part))) renameSync(nameOf(file, part), nameOf(file, part + 1))
}
