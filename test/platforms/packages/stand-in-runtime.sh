#!/bin/sh
# Stands in for the program at the beginning of an AppImage. It is as long as OFFSET says; a file system follows.
export APPIMAGE="$(readlink -f "$0")" ARGV0="$0"
case "$1" in
--appimage-extract)
  exec unsquashfs -q -n -f -o OFFSET -d squashfs-root "$APPIMAGE"
  ;;
--appimage-extract-and-run)
  shift
  export APPDIR="$(mktemp -d /tmp/appimage_extracted_XXXXXX)"
  unsquashfs -q -n -f -o OFFSET -d "$APPDIR" "$APPIMAGE" || exit 1
  end='rm -rf "$APPDIR"'
  ;;
*)
  export APPDIR="$(mktemp -d /tmp/.mount_XXXXXX)"
  squashfuse -o ro,offset=OFFSET "$APPIMAGE" "$APPDIR" || exit 1
  end='fusermount3 -u "$APPDIR"; rmdir "$APPDIR"'
  ;;
esac
"$APPDIR/AppRun" "$@"
code=$?
eval "$end"
exit $code
