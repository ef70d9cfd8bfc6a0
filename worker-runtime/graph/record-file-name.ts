/** Such as "train.tfrecord", "train.tfrecords.gz" and "a.tfrecord-00000-of-00010", and what Spark names its parts. */
const RECORD_FILE = /\.(?:tfrecords?|tfrec)(?=$|[.-])|(?:^|[/\\])part-[rm]-\d+/i;

/** True for a file that is one of records by its name. */
export function isRecordFileName(name: string): boolean {
  return RECORD_FILE.test(name);
}
