/*
 * Stands in for the plug-ins of electron-builder's installer, as far as that uses them: nsProcess, StdUtils, UAC, WinShell and
 * nsis7z, of each of which NSIS takes the functions that it needs. Nothing here asks for an administrator: UAC's answers are those
 * of an account that is none.
 */
#include <windows.h>
#include <shellapi.h>
#include <shlwapi.h>
#include <stdio.h>
#include <tlhelp32.h>

typedef struct stack {
  struct stack *next;
  WCHAR text[1];
} stack;

#define PLUGIN(NAME) __declspec(dllexport) void NAME(HWND window, int size, WCHAR *variables, stack **top)

static void pop(stack **top, WCHAR *text, int size) {
  stack *first = *top;
  *text = 0;
  if (!first) return;
  lstrcpynW(text, first->text, size);
  *top = first->next;
  GlobalFree(first);
}

static void push(stack **top, int size, LPCWSTR text) {
  stack *first = GlobalAlloc(GPTR, sizeof(stack) + size * sizeof(WCHAR));
  lstrcpynW(first->text, text, size);
  first->next = *top;
  *top = first;
}

/* nsProcess: processes by the name of their program. It answers 0 if there is one. /NOUNLOAD is taken away by NSIS itself. */
static void answer(int size, stack **top, BOOL ending) {
  WCHAR name[1024];
  pop(top, name, 1024);
  HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  PROCESSENTRY32W entry = {sizeof entry};
  LPCWSTR result = L"603";
  for (BOOL more = Process32FirstW(snapshot, &entry); more; more = Process32NextW(snapshot, &entry)) {
    if (lstrcmpiW(entry.szExeFile, name)) continue;
    result = L"0";
    if (!ending) break;
    HANDLE process = OpenProcess(PROCESS_TERMINATE | SYNCHRONIZE, FALSE, entry.th32ProcessID);
    TerminateProcess(process, 1);
    WaitForSingleObject(process, 10000);
    CloseHandle(process);
  }
  CloseHandle(snapshot);
  push(top, size, result);
}

PLUGIN(_FindProcess) { answer(size, top, FALSE); }
PLUGIN(_KillProcess) { answer(size, top, TRUE); }
PLUGIN(_CloseProcess) { answer(size, top, TRUE); }
PLUGIN(_Unload) {}

/* StdUtils. */
static LPCWSTR parameters(void) { return PathGetArgsW(GetCommandLineW()); }

PLUGIN(GetAllParameters) {
  WCHAR truncate[32];
  pop(top, truncate, 32);
  push(top, size, parameters());
}

PLUGIN(TestParameter) {
  WCHAR name[256], option[260];
  pop(top, name, 256);
  swprintf(option, 260, L"--%ls", name);
  LPCWSTR found = wcsstr(parameters(), option);
  WCHAR after = found ? found[lstrlenW(option)] : L'x';
  push(top, size, after == 0 || after == L' ' ? L"true" : L"false");
}

PLUGIN(GetParameter) {
  WCHAR other[1024], name[256];
  pop(top, other, 1024);
  pop(top, name, 256);
  push(top, size, other);
}

PLUGIN(GetParentPath) {
  WCHAR path[4096];
  pop(top, path, 4096);
  PathRemoveFileSpecW(path);
  push(top, size, path);
}

PLUGIN(ExecShellAsUser) {
  WCHAR arguments[4096], verb[64], file[4096];
  pop(top, arguments, 4096);
  pop(top, verb, 64);
  pop(top, file, 4096);
  INT_PTR result = (INT_PTR)ShellExecuteW(NULL, verb, file, arguments, NULL, SW_SHOWNORMAL);
  push(top, size, result > 32 ? L"ok" : L"error");
}

/* UAC: what is asked for is its first argument; the answer to a question comes back in the place of an "s" behind its number. */
PLUGIN(_) {
  WCHAR question[64];
  pop(top, question, 64);
  if (question[0] == L'2' || question[0] == L'3') push(top, size, L"0");
}

/* WinShell: what it writes into shortcuts groups windows in the taskbar. */
PLUGIN(SetLnkAUMI) {
  WCHAR unused[4096];
  pop(top, unused, 4096);
  pop(top, unused, 4096);
}
PLUGIN(UninstAppUserModelId) {
  WCHAR unused[4096];
  pop(top, unused, 4096);
}
PLUGIN(UninstShortcut) {
  WCHAR unused[4096];
  pop(top, unused, 4096);
}

/* nsis7z: unpacks what stand-in-7za.mjs packs into the current folder: length and path in UTF-8, length and bytes, for each file. */
PLUGIN(Extract) {
  WCHAR archive[4096], path[4096];
  pop(top, archive, 4096);
  FILE *from = _wfopen(archive, L"rb");
  DWORD length;
  while (from && fread(&length, 4, 1, from) == 1 && length < 4096) {
    char name[4096];
    fread(name, 1, length, from);
    path[MultiByteToWideChar(CP_UTF8, 0, name, length, path, 4095)] = 0;
    for (WCHAR *at = path; *at; at++) {
      if (*at != L'\\') continue;
      *at = 0;
      CreateDirectoryW(path, NULL);
      *at = L'\\';
    }
    fread(&length, 4, 1, from);
    void *bytes = GlobalAlloc(GPTR, length + 1);
    fread(bytes, 1, length, from);
    FILE *to = _wfopen(path, L"wb");
    if (to) {
      fwrite(bytes, 1, length, to);
      fclose(to);
    }
    GlobalFree(bytes);
  }
  if (from) fclose(from);
}
